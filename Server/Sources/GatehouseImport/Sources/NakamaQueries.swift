/// Nakama's own tables. Each row of the SELECT is a line of the file that ``NakamaSource`` reads.
enum NakamaQueries {
    /// `docs/import.md` has the same. A ban has no end; a time that is infinite has the last day that can be read.
    static let users = """
        SELECT json_strip_nulls(json_build_object(
         'id', u.id, 'username', u.username, 'createMs', floor(extract(epoch from u.create_time)*1000)::bigint,
         'updateMs', floor(extract(epoch from u.update_time)*1000)::bigint,
         'disableMs', CASE WHEN u.disable_time > 'epoch' THEN floor(extract(epoch from least(u.disable_time, '9999-12-30 00:00:00Z'))*1000)::bigint END,
         'google', u.google_id, 'apple', u.apple_id, 'facebook', u.facebook_id, 'facebookInstant', u.facebook_instant_game_id,
         'gameCenter', u.gamecenter_id, 'steam', u.steam_id, 'custom', u.custom_id, 'email', u.email, 'hasPassword', u.password IS NOT NULL,
         'metadata', nullif(u.metadata, '{}'::jsonb),
         'devices', (SELECT json_agg(d.id ORDER BY d.id) FROM user_device d WHERE d.user_id = u.id)))
        FROM users u WHERE u.id > '00000000-0000-0000-0000-000000000000' ORDER BY u.id
        """
}
