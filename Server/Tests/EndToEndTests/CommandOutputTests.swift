import Foundation
import GatehouseWire
import Testing

/// What each command prints, for people and for programs: `Fixtures/command-outputs.txt` and `command-outputs-json.txt`.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=CommandOutputTests` writes them.
@Suite(.timeLimit(.minutes(10))) struct CommandOutputTests {
    /// The calls in their order, with names in braces for what differs in each run.
    private static let calls = """
        app list
        app status devgame 203 --message en=Wait.
        app status devgame 200
        app rule add devgame 203 --os IOS --below 2.0 --url https://example.com/new --message en=Update.
        app rule add devgame 205 --os AOS --position 1
        app rule list devgame
        app rule remove devgame {rule}
        app maintenance devgame --end 2100-01-01T00:00:00Z --message en=Later. --url https://example.com
        member can-log-in {alice}
        app maintenance devgame --remove
        app limits devgame --new-guests 7
        app limits devgame
        app test-device devgame --add {device} --note Kim
        app test-device devgame
        app test-device devgame --remove {device}
        app accounts devgame --withdrawal-grace-days 3 --support-contact help@example.com --time-zone Asia/Seoul
        app accounts devgame
        app transfer devgame --on --password-length 9 --uses unlimited
        app transfer devgame
        app add-secret devgame --scope check --name game
        app secrets devgame
        app rotate-secret devgame
        app revoke-old-secrets devgame
        app rotate-key devgame
        app rotate-key devgame --revoke-others
        idp list
        idp disable naver
        idp enable naver
        idp set naver --client-id another
        idp set company --kind openid --issuer https://id.example.com --client-id game
        idp show company
        idp test google --local
        member show {alice}
        member list
        member list --status Y --limit 1
        member search carol
        member search nobody
        member history {alice}
        member sessions list {alice}
        member transfer show {guest}
        member transfer unblock {guest} --reason asked
        member transfer reissue {guest} --reason asked
        member transfer reissue {guest} --password-only --reason asked
        ban template --code 1 --message en=No. --message ko=안돼요
        ban template
        ban add {alice} --permanent --template 1 --reason bot
        ban add {alice} --permanent --reason again
        member can-log-in {alice}
        member show {alice}
        ban list {alice}
        ban release {alice} --reason mistake
        ban release {alice} --reason mistake
        ban add --file users.txt --until 2100-01-01T00:00:00Z --reason bots --dry-run
        ban add --file users.txt --until 2100-01-01T00:00:00Z --reason bots
        ban release --file users.txt --reason mistake --dry-run
        ban release --file users.txt --reason mistake
        ban list
        ban grace add {alice} --until 2100-01-01T00:00:00Z --message Pay. --amount 10 --currency EUR --reason unpaid
        ban grace list
        ban grace list {alice}
        ban grace cancel {alice} --reason paid
        ban grace list --all
        do --list
        do member.noted --list
        do member.noted --set user={alice} --set text=called --dry-run
        do member.noted --set user={alice} --set text=called
        do member.banned --set user={alice} --set length=1d --reason bots --dry-run
        do member.banned --set user={alice} --set length=1d --reason bots
        do ban.released --set user={alice} --reason mistake
        do member.banned --set user=nobody --set length=1d --reason bots
        member sessions end {alice} --all
        member kick-out {alice} --message en=Bye.
        member kick-out --everyone --message en=Bye.
        member show {lost}
        member restore {lost} --reason asked
        member withdraw {alice} AAAAAAAAAAAAAAAA --reason asked
        member export {guest} --output guest.json
        member show {alice}
        jobs
        jobs --state dead
        operator create ann --role owner
        operator create kim --role viewer
        operator invite kim
        operator grant kim --role support
        operator disable kim
        operator enable kim
        operator list
        import source list
        import source set old --kind firebase --project old-game
        import source list
        import source close old
        import status
        export --output out
        erasures
        backup saved.db
        app create fresh --name Fresh
        app create likewise --like devgame
        app list
        app revoke-secret fresh nothing
        audit
        migrate
        settings --port 9000 --password-cost 8
        """.split(separator: "\n").map(String.init)

    /// Commands that print nothing by themselves, or what other suites compare.
    private static let others: [String: String] = [
        "serve": "ServeCommandTests", "dev run": "README.md has its greeting", "dev clock": "DevClockTests",
        "play": "PlayCommandTests", "conformance": "ConformanceCommandTests", "request": "docs/server-api.md",
        "rekey": "RekeyCommandTests",
        "restore": "BackupTests", "copy": "CopyTests", "import convert": "ImportCommandTests",
        "import members": "ImportMembersCommandTests",
        "import resume": "ImportMembersCommandTests", "import verify": "ImportMembersCommandTests",
        "import undo": "ImportMembersCommandTests", "import forget": "ImportMembersCommandTests",
        "import release": "LegacySourceCommandTests", "import source test": "LegacySourceCommandTests",
    ]

    /// A database with players, and what differs in each run by names of its own.
    private final class Ground {
        let folder: URL
        var names: [String: String] = ["device": String(repeating: "A", count: 43)]
        var lines: [String] = []

        init(_ folder: URL) async throws {
            self.folder = folder
            let server = try await ServingCommand.start(["dev"], in: folder)
            let script = """
                player:carol,login:google,map:naver,device:b,player:dave,guest,device:c,player:carol,guest,?map:google,force,\
                device:d,guest,issue
                """
            let played = try await Command.run(
                ["play", "--server", server.url, "--storage", "device.json", "--json", "--script", script], in: folder)
            #expect(played.status == 0, "\(played.text)")
            var users: [String] = []
            for line in played.lines {
                let step = try JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8))
                if let user = step["userId"]?.stringValue, !users.contains(user) { users.append(user) }
            }
            try #require(users.count == 4, "\(played.text)")
            for (name, user) in zip(["lost", "dave", "alice", "guest"], users) { names[name] = user }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
            try "\(users[1])\nAAAAAAAAAAAAAAAA\n".write(
                to: folder.appending(path: "users.txt"), atomically: true, encoding: .utf8)
        }

        func run(_ call: String, asJSON: Bool) async throws {
            let words = call.split(separator: " ").map { word in
                names.reduce(String(word)) { $0.replacing("{\($1.key)}", with: $1.value) }
            }
            let result = try await Command.run(words + (asJSON ? ["--json"] : []), in: folder)
            if call.hasPrefix("app rule add"), let rule = result.text.firstMatch(of: /[0-9a-v]{26}/) {
                names["rule"] = String(rule.output)
            }
            lines.append(
                "$ gatehouse \(call)\(asJSON ? " --json" : "")\(result.status == 0 ? "" : " → \(result.status)")")
            lines += result.lines.map { plain($0) }
        }

        /// A line without what differs in each run: names that are known, ids, keys, codes and times.
        private func plain(_ line: String) -> String {
            let named = names.sorted { $0.key < $1.key }.reduce(line) {
                $0.replacing($1.value, with: "{\($1.key)}")
            }
            return named.replacing(/gsk_[A-Za-z0-9_-]{43}/, with: "<secret>")
                .replacing(/[A-Za-z0-9_-]{43}/, with: "<key>")
                .replacing(/[0-9a-v]{26}/, with: "<id>")
                .replacing(/\b[0-9a-f]{12}\b/, with: "<number>")
                .replacing(/\b20[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9:]{5,8}(\.[0-9]+)?Z?)?/, with: "<time>")
                .replacing(/\b1[0-9]{12}\b/, with: "<milliseconds>")
                .replacing(/\bLINUX [0-9.]+/, with: "LINUX <version>")
                .replacing(/migration [0-9]+, of [0-9]+/, with: "migration <number>, of <number>")
                .replacing(/(key id  |"keyId":"|password     |"password":")[A-Za-z0-9_-]+/) { "\($0.output.1)<text>" }
        }
    }

    @Test("What a command prints is what it has always printed", arguments: [false, true])
    func outputs(asJSON: Bool) async throws {
        try await withFolder { folder in
            let ground = try await Ground(folder)
            for call in Self.calls { try await ground.run(call, asJSON: asJSON) }
            let url = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/command-outputs\(asJSON ? "-json" : "").txt")
            if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] != nil {
                try Data((ground.lines.joined(separator: "\n") + "\n").utf8).write(to: url)
            }
            let lines = try String(contentsOf: url, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .dropLast().map(String.init)
            #expect(ground.lines == lines, "\(ground.lines.difference(from: lines))")
        }
    }

    @Test("Each command is compared, here or in a suite of its own")
    func complete() async throws {
        try await withFolder { folder in
            let dump = try await Command.run(["--experimental-dump-help"], in: folder)
            let root = try JSONDecoder().decode(CommandHelp.self, from: Data(dump.text.utf8)).command
            let leaves = Set(root.leaves().map { $0.words.joined(separator: " ") }.filter { !$0.contains("help") })
            let seen = leaves.filter { leaf in Self.calls.contains { $0 == leaf || $0.hasPrefix("\(leaf) ") } }
            #expect(leaves.subtracting(seen) == Set(Self.others.keys))
        }
    }
}
