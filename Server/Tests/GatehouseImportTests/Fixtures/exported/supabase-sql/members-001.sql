BEGIN;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL standard_conforming_strings = on;
INSERT INTO auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at, banned_until, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new)
VALUES ('00000000-0000-0000-0000-000000000000', 'bb61d90d-659d-5d04-97e5-713f45658121', 'authenticated', 'authenticated', '{"gatehouse_user_id":"AAAABBBBCCCCDDD1"}', '{}', to_timestamp(1704067200.000), to_timestamp(1704067200.000), NULL, NULL, true, '', '', '', '');
INSERT INTO auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at, banned_until, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new)
VALUES ('00000000-0000-0000-0000-000000000000', '36d380b0-292f-55a0-a3d5-9254088ec24f', 'authenticated', 'authenticated', '{"provider":"google","providers":["google","custom:studio"],"gatehouse_user_id":"AAAABBBBCCCCDDD7"}', '{}', to_timestamp(1704067200.000), to_timestamp(1704067200.000), to_timestamp(1767225600.000), to_timestamp(1800000000.000), false, '', '', '', '');
INSERT INTO auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
VALUES ('607087db-e701-5eca-8006-6b8142869898', '36d380b0-292f-55a0-a3d5-9254088ec24f', 'google', '113456789012345678901', '{"sub":"113456789012345678901"}', to_timestamp(1704067200.123), to_timestamp(1704067200.123));
INSERT INTO auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
VALUES ('8cdb2522-47c9-5195-a95d-64f4defb384e', '36d380b0-292f-55a0-a3d5-9254088ec24f', 'custom:studio', 'O''Hara"); DROP TABLE auth.users; --\ é한👩‍🚀 $1 :x', '{"sub":"O''Hara\"); DROP TABLE auth.users; --\\ é한👩‍🚀 $1 :x","iss":"https://id.studio.example/''\""}', to_timestamp(1704067200.000), to_timestamp(1704067200.000));
INSERT INTO auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at, banned_until, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new)
VALUES ('00000000-0000-0000-0000-000000000000', '67639ce6-285a-5e65-a281-0d84ecebf978', 'authenticated', 'authenticated', '{"provider":"facebook","providers":["facebook"],"gatehouse_user_id":"AAAABBBBCCCCDDD3"}', '{}', to_timestamp(1704067200.000), to_timestamp(1704067200.000), to_timestamp(1767225600.000), to_timestamp(253402300799.999), false, '', '', '', '');
INSERT INTO auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
VALUES ('c7ecb310-5932-5885-88d8-31d53b632740', '67639ce6-285a-5e65-a281-0d84ecebf978', 'facebook', '10223344556677889', '{"sub":"10223344556677889"}', to_timestamp(1704067200.000), to_timestamp(1704067200.000));
INSERT INTO auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at, banned_until, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new)
VALUES ('00000000-0000-0000-0000-000000000000', '34e222f2-5674-53d3-bd53-118837a8ca28', 'authenticated', 'authenticated', '{"provider":"twitter","providers":["twitter"],"gatehouse_user_id":"AAAABBBBCCCCDDD4"}', '{}', to_timestamp(1704067200.000), to_timestamp(1704067200.000), to_timestamp(1767225600.000), NULL, false, '', '', '', '');
INSERT INTO auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
VALUES ('9ef9208a-1e2d-5245-8b12-1518738439b2', '34e222f2-5674-53d3-bd53-118837a8ca28', 'twitter', '42', '{"sub":"42"}', to_timestamp(1704067200.000), to_timestamp(1704067200.000));
COMMIT;
