/// The tables of Supabase Auth. Each row of the SELECT is a line of the file that ``SupabaseSource`` reads.
enum SupabaseQueries {
    /// `docs/import.md` has the same. A ban until `infinity` ends on the last day that can be read.
    static let users = """
        SELECT json_strip_nulls(json_build_object('id',u.id,'anonymous',u.is_anonymous,'createdMs',floor(extract(epoch from u.created_at)*1000)::bigint,
         'lastSignInMs',floor(extract(epoch from u.last_sign_in_at)*1000)::bigint,
         'bannedUntilMs',CASE WHEN u.banned_until > 'epoch' THEN floor(extract(epoch from least(u.banned_until,'9999-12-30 00:00:00Z'))*1000)::bigint END,
         'deletedMs',floor(extract(epoch from u.deleted_at)*1000)::bigint,'sso',nullif(u.is_sso_user,false),
         'identities',(SELECT json_agg(json_build_object('provider',i.provider,'subject',i.provider_id,'iss',i.identity_data->>'iss',
           'createdMs',floor(extract(epoch from i.created_at)*1000)::bigint) ORDER BY i.provider,i.provider_id) FROM auth.identities i WHERE i.user_id=u.id)))
        FROM auth.users u ORDER BY u.id
        """
}
