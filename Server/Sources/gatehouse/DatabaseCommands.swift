import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the database into a file, while servers run.",
        discussion: """
            The file is for its owner alone, and is read back before it gets its name. Nothing is overwritten. The master key is \
            not in it: keep that apart. For PostgreSQL the programs pg_dump and pg_restore must be in PATH.
            """)

    @OptionGroup var data: DataArguments
    @Argument(help: "The file, which is not there yet.") var file: String

    func run() async throws {
        let place = try DataPlace(data.settings())
        let begin = ServerEnvironment.live.now()
        let summary = try DatabaseCopy.write(place.location, to: file) { Terminal.complain("\($0)") }
        try data.output.result(
            [
                Fact("file", .text(file)), Fact("database", .text("\(place.location)")),
                Fact("migration", .count(summary.migration)), Fact("bytes", .count(summary.bytes)),
                Fact("begun", .time(begin.milliseconds)),
            ],
            "\(file) is a copy of \(place.location) with migration \(summary.migration), of \(summary.bytes) bytes, and was read back",
            "withdrawals since: gatehouse erasures --since \(Words.time(begin.milliseconds))")
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a copy of `gatehouse backup` back into the database. Servers must be stopped.",
        discussion: """
            A database that holds something is not touched unless you say --replace. The copy has everybody once more who has left \
            since, and lets in every secret key and operator that was kept out since. Give the server's log since the copy with \
            --replay: withdrawals and what was revoked are carried out again. Without a log say --confirm, and go through the list \
            of secret keys and operators that is printed. All sessions of the console end either way.
            """)

    @OptionGroup var data: DataArguments
    @Argument(help: "The file that `gatehouse backup` has written.") var file: String
    @Flag(help: "Give up what the database holds now.") var replace = false
    @Option(help: "The log since the copy, or what `gatehouse erasures` and `audit` have printed, to carry out again.")
    var replay: String?
    @Flag(help: "There is no log: what was revoked since the copy counts again, until you revoke it.")
    var confirm = false

    func run() async throws {
        guard replay != nil || confirm else {
            throw SettingError(
                "Secret keys and operators that were revoked since the copy would count again. Give the log since then with "
                    + "--replay, or say --confirm.")
        }
        let place = try DataPlace(data.settings())
        // What can't be read is said before anything is touched.
        let log = try replay.map { try ReplayedFile($0) }
        if let path = place.location.filePath { try DataPlace.createFolder(of: path) }
        let newest = Migration.newest
        let summary = try await DatabaseCopy.restore(file, to: place.location, replacing: replace, known: newest) {
            Terminal.complain("\($0)")
        }
        try data.output.result(
            [
                Fact("database", .text("\(place.location)")), Fact("file", .text(file)),
                Fact("migration", .count(summary.migration)), Fact("isCurrent", .isOn(summary.migration == newest)),
            ], "\(place.location) holds \(file) now, with migration \(summary.migration).")
        Terminal.say("Players' sessions that have ended since live again. To end their access tokens, for each app:")
        Terminal.say("  gatehouse app rotate-key APP --revoke-others")
        let isCurrent = summary.migration == newest
        try await finish(place.location, migration: summary.migration, isListed: isCurrent && log == nil)
        guard isCurrent else {
            Terminal.say("The copy is of an older version. Before the server starts:")
            Terminal.say("  gatehouse migrate")
            Terminal.say("  gatehouse erasures --replay FILE")
            Terminal.say("  gatehouse operator list")
            return
        }
        guard let log else { return }
        try await data.open {
            try await log.replay(on: $0, reason: "carried out again after a restore")
        }
        try log.end()
    }

    /// Ends the sessions of the console, and prints who is let in, so that somebody revokes what was revoked since the copy.
    private func finish(_ location: DatabaseLocation, migration: Int, isListed: Bool) async throws {
        try await Database.open(location, events: .logged()).closing { database in
            let copy = RestoredCopy(database)
            try await copy.endOperatorSessions(migration: migration)
            guard isListed else { return }
            let (secrets, people) = try await copy.access()
            Terminal.say("Before the server starts, carry out again who has left since the copy:")
            Terminal.say("  gatehouse erasures --replay FILE")
            Terminal.say("These count again. Revoke what was revoked since the copy:")
            for (app, secret) in secrets {
                try data.output.result(
                    [
                        Fact("secretKey", .text("\(secret.id)")), Fact("appId", .text("\(app)")),
                        Fact("name", .text(secret.name)),
                    ], "  secret key  \(app)  \(secret.id)  \(secret.name ?? "the app's own")")
            }
            for person in people {
                try data.output.result(
                    [
                        Fact("operator", .text("\(person.name)")), Fact("roles", .text(person.grants.text)),
                        Fact("isDisabled", .isOn(person.isDisabled)),
                    ], "  operator  \(person.name)  \(person.grants.text)\(person.isDisabled ? "  disabled" : "")")
            }
        }
    }
}

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the database into another one, such as from SQLite to PostgreSQL. Servers must be stopped.",
        discussion: """
            The other database must have no rows yet. It gets all of them in one transaction: an interrupted copy leaves none, and \
            can be repeated. The database that is copied stays as it is. The master key is not copied, and the other database \
            needs the same one.
            """)

    @OptionGroup var data: DataArguments
    @Option(
        help: """
            The other database: sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME. A URL with a password belongs into the \
            environment variable GATEHOUSE_TO_DATABASE, because other users of the machine can read a process's arguments.
            """)
    var toDatabase: String?

    func run() async throws {
        let settings = try data.settings(also: ["to-database": toDatabase])
        let place = try DataPlace(settings)
        guard let named = settings.text("to-database") else {
            throw SettingError("Say with --to-database where the copy goes.")
        }
        let target: DatabaseLocation
        do {
            target = try DatabaseLocation(named.value)
        } catch {
            throw SettingError("The setting to-database is wrong (\(named.source)): \(error)")
        }
        // The schema is checked before anything is made.
        await (try place.open()).close()
        if let path = target.filePath {
            try DataPlace.createFolder(of: path)
            OpenFile.createForOwnerOfFolder(path)
        }
        let summary = try await DatabaseTransfer.copy(place.location, to: target, migrations: Migration.all) {
            Terminal.complain("\($0)")
        }
        try data.output.result(
            [
                Fact("database", .text("\(place.location)")), Fact("toDatabase", .text("\(target)")),
                Fact("tables", .count(summary.tables)), Fact("rows", .count(summary.rows)),
            ], "\(target) holds all \(summary.rows) rows of the \(summary.tables) tables of \(place.location).",
            "Its servers need the same master key, from \(place.keyDescription).")
    }
}

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the database's schema up to date.",
        discussion: """
            Makes a database where there is none. A server does the same by itself at its start, unless create-database is false; a \
            schema newer than this version is refused.
            """)

    @Flag(
        help: """
            Then distribute the tables over the nodes of a Citus cluster, by app. Tables that are distributed already stay as they \
            are: call it again after an update.
            """)
    var distributed = false
    @OptionGroup var data: DataArguments

    func run() async throws {
        let place = try DataPlace(data.settings())
        let (database, isNew) = try await place.openOrCreate()
        try await database.closing { database in
            var facts = [
                Fact("database", .text("\(place.location)")), Fact("isNew", .isOn(isNew)),
                Fact("migration", .count(Migration.newest)),
            ]
            data.output.done(
                isNew ? "\(place.location) is a new database." : "The schema of \(place.location) is up to date.")
            if distributed {
                let lines = try await database.distribute(.gatehouse)
                for line in lines { data.output.done("\(line)") }
                facts.append(Fact("distributed", .list(lines)))
            }
            try data.output.result(facts)
        }
    }
}
