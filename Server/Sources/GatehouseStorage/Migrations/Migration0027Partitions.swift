extension Migration {
    /// On PostgreSQL the tables of ``DividedTable`` become divided by time. Three steps, so that no login waits for a look at every row: a
    /// condition for new rows, which takes a moment; a look whether the old rows fulfil it, beside which logins go on; and the division,
    /// which takes the old table as it is for its first partition, because the condition says that every row belongs there.
    ///
    /// SQL never asks for the time. The bound is the newest of a table's rows and of the nodes' progress (`audit_progress`), which every
    /// running server writes each five seconds, and at least two days more, of the ledger at least a month: so a server of the version
    /// before goes on, until one of this version has made the partitions that follow. Citus has the tables as they are.
    static let partitionBounds = Migration(
        number: 27, name: "partition bounds", statements: [],
        postgresql: [
            #"""
            DO $$
            DECLARE
                letters CONSTANT TEXT := '0123456789abcdefghijklmnopqrstuv';
                divided TEXT[];
                newest TEXT;
                running BIGINT;
                latest BIGINT;
                bound TEXT;
            BEGIN
                IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN RETURN; END IF;
                PERFORM set_config('enable_seqscan', 'on', true);
                SELECT coalesce(max(told_until), 0) INTO running FROM audit_progress;
                -- The ledger comes first, because the look for its newest row takes longest, and nothing is locked meanwhile.
                FOREACH divided SLICE 1 IN ARRAY ARRAY[
                    ['ledger', 'entry_id'], ['revocations', 'revocation_id'], ['spent_proofs', 'minute']]
                LOOP
                    EXECUTE format('SELECT CAST(max(%I) AS TEXT) FROM %I', divided[2], divided[1]) INTO newest;
                    IF newest IS NULL THEN
                        latest := 0;
                    ELSIF divided[1] = 'spent_proofs' THEN
                        latest := CAST(newest AS BIGINT) * 60000;
                    ELSE
                        SELECT sum(CAST(strpos(letters, substr(newest, n, 1)) - 1 AS BIGINT) << (50 - 5 * n)) INTO latest
                        FROM generate_series(1, 10) n;
                    END IF;
                    latest := greatest(latest, running);
                    IF divided[1] = 'ledger' THEN
                        latest := extract(epoch FROM date_trunc(
                            'month', to_timestamp(latest / 1000) AT TIME ZONE 'UTC') + INTERVAL '2 months') * 1000;
                    ELSE
                        latest := (latest / 86400000 + 3) * 86400000;
                    END IF;
                    IF divided[1] = 'spent_proofs' THEN
                        bound := latest / 60000;
                    ELSE
                        SELECT string_agg(substr(letters, CAST((latest >> (50 - 5 * n)) & 31 AS INT) + 1, 1), '' ORDER BY n)
                            || repeat('0', 16) INTO bound
                        FROM generate_series(1, 10) n;
                    END IF;
                    EXECUTE format(
                        'ALTER TABLE %1$I ADD CONSTRAINT %1$s_bound CHECK (%2$I < %3$L) NOT VALID',
                        divided[1], divided[2], bound);
                END LOOP;
            END $$
            """#
        ])

    static let partitionBoundsHold = Migration(
        number: 28, name: "partition bounds hold", statements: [],
        postgresql: [
            #"""
            DO $$
            DECLARE divided TEXT;
            BEGIN
                FOR divided IN
                    SELECT CAST(conrelid AS regclass) FROM pg_constraint
                    WHERE conname IN ('ledger_bound', 'revocations_bound', 'spent_proofs_bound') ORDER BY 1
                LOOP
                    EXECUTE format('ALTER TABLE %1$s VALIDATE CONSTRAINT %1$s_bound', divided);
                END LOOP;
            END $$
            """#
        ])

    static let partitions = Migration(
        number: 29, name: "partitions", statements: [],
        postgresql: [
            #"""
            DO $$
            DECLARE
                divided TEXT;
                key TEXT;
                former TEXT;
                bound TEXT;
                index RECORD;
                is_new BOOL := NOT EXISTS (SELECT 1 FROM audit_progress);
                is_empty BOOL;
            BEGIN
                FOR divided, bound IN
                    SELECT CAST(conrelid AS regclass), substring(pg_get_constraintdef(oid) FROM '< ''?([0-9a-v]+)')
                    FROM pg_constraint
                    WHERE conname IN ('ledger_bound', 'revocations_bound', 'spent_proofs_bound') ORDER BY 1
                LOOP
                    former := divided || '_00000000';
                    key := CASE divided
                        WHEN 'ledger' THEN 'entry_id' WHEN 'revocations' THEN 'revocation_id' ELSE 'minute' END;
                    EXECUTE format('ALTER TABLE %I RENAME TO %I', divided, former);
                    EXECUTE format(
                        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS) PARTITION BY RANGE (%I)', divided, former, key);
                    -- Each index gets the partition's name, and a new one of the whole table the former name.
                    FOR index IN
                        SELECT relname, indisprimary, pg_get_indexdef(indexrelid) AS definition,
                            pg_get_constraintdef(pg_constraint.oid) AS key
                        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                        LEFT JOIN pg_constraint ON conindid = indexrelid AND contype = 'p'
                        WHERE indrelid = to_regclass(former)
                    LOOP
                        EXECUTE format(
                            'ALTER INDEX %I RENAME TO %I', index.relname, replace(index.relname, divided, former));
                        IF index.indisprimary THEN
                            EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I %s', divided, index.relname, index.key);
                        ELSE
                            EXECUTE regexp_replace(
                                index.definition, ' ON (ONLY )?\S+ ', format(' ON %I ', divided));
                        END IF;
                    END LOOP;
                    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I) AND %L', former, is_new) INTO is_empty;
                    IF is_empty THEN
                        EXECUTE format('DROP TABLE %I', former);
                    ELSE
                        EXECUTE format(
                            'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', divided, former, bound);
                        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', former, divided || '_bound');
                    END IF;
                END LOOP;
            END $$
            """#
        ])
}
