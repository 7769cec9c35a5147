public import GatehouseStorage

extension Database {
    /// Makes a database of PostgreSQL look like one of Citus, which can't be installed where the tests run. The stand-in has the names
    /// that the server asks for, and refuses what Citus refuses: a key without the distribution column, and a table with a foreign key
    /// to or from one that is not distributed. Connections that are opened later take it for the real one, until the database is reset for another test.
    public func becomeStandInCitus() async throws {
        try await transact { tx in
            try tx.execute(
                """
                INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
                SELECT 999999, 'citus', r.oid, n.oid, FALSE, '13.2-stand-in' FROM pg_roles r, pg_namespace n
                WHERE r.rolname = current_user AND n.nspname = 'public'
                """)
            try tx.execute(
                """
                CREATE TABLE pg_dist_partition (
                    logicalrelid regclass PRIMARY KEY, partmethod TEXT NOT NULL, repmodel TEXT NOT NULL,
                    neighbour TEXT NOT NULL)
                """)
            try tx.execute(
                """
                CREATE FUNCTION refuse_foreign_keys(t regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                    IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND (conrelid = t OR confrelid = t)) THEN
                        RAISE EXCEPTION '% has a foreign key', t;
                    END IF;
                END $$
                """)
            try tx.execute(
                """
                CREATE FUNCTION create_reference_table(t regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                    PERFORM refuse_foreign_keys(t);
                    INSERT INTO pg_dist_partition VALUES (t, 'n', 't', '');
                END $$
                """)
            try tx.execute(
                """
                CREATE FUNCTION create_distributed_table(t regclass, part TEXT, colocate_with TEXT) RETURNS void
                LANGUAGE plpgsql AS $$ BEGIN
                    PERFORM refuse_foreign_keys(t);
                    IF EXISTS (
                        SELECT 1 FROM pg_index i WHERE i.indrelid = t AND i.indisunique AND NOT EXISTS (
                            SELECT 1 FROM pg_attribute a
                            WHERE a.attrelid = t AND a.attname = part AND a.attnum = ANY (i.indkey) AND a.attnotnull))
                    THEN RAISE EXCEPTION '% has a key without %', t, part;
                    END IF;
                    INSERT INTO pg_dist_partition VALUES (t, 'h', 's', colocate_with);
                END $$
                """)
        }
    }
}
