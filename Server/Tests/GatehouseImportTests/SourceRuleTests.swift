import GatehouseImport
import GatehouseWire
import Testing

/// What of another system's record becomes what of a member, and what is not guessed.
@Suite struct SourceRuleTests {
    private func member(_ kind: ImportKind, _ text: String) throws -> ImportedMember {
        try #require(try Fixtures.convert(kind, [Fixtures.input(text: text)]).members().first)
    }

    private func firebase(_ user: String, lastLogin: String = "lastLoginAt") throws -> ImportedMember {
        try member(.firebase, #"{"users":[{"localId":"a","\#(lastLogin)":"1",\#(user)}]}"#)
    }

    private func nakama(_ user: String) throws -> ImportedMember {
        try member(.nakama, #"{"id":"a","createMs":1,"hasPassword":false,\#(user)}"#)
    }

    @Test(
        "A Firebase player without a provider is a guest, and one with e-mail, phone, password or custom token is unreachable"
    )
    func firebaseStatus() throws {
        #expect(try firebase(#""disabled":false"#).status == .guest)
        for way in [
            #""email":"x@y""#, #""phoneNumber":"1""#, #""passwordHash":"x""#, #""customAuth":true"#,
            #""providerUserInfo":[{"providerId":"password","rawId":"x@y"}]"#,
            #""providerUserInfo":[{"providerId":"gc.apple.com","rawId":"G:1"}]"#,
        ] {
            #expect(try firebase(way).status == .unreachable, "\(way)")
        }
        #expect(
            try firebase(#""email":"x@y","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]"#).status
                == .active)
    }

    @Test("An empty list of providers is a suspicion only in a file of Firebase's command")
    func suspicion() throws {
        #expect(try firebase(#""providerUserInfo":[]"#, lastLogin: "lastSignedInAt").lost == [.identities])
        // Apple gives an e-mail address, and the command left Apple out before 15.19.0.
        let apple = try firebase(#""email":"x@y","providerUserInfo":[]"#, lastLogin: "lastSignedInAt")
        #expect(apple.lost == [.identities] && apple.status == .unreachable)
        for way in [#""passwordHash":"x""#, #""phoneNumber":"1""#] {
            #expect(try firebase(#"\#(way),"providerUserInfo":[]"#, lastLogin: "lastSignedInAt").lost.isEmpty)
        }
        #expect(try firebase(#""disabled":false"#, lastLogin: "lastSignedInAt").lost.isEmpty)
        #expect(try firebase(#""providerUserInfo":[]"#).lost.isEmpty)
    }

    @Test("A Game Center id that Firebase has kept is never an identity")
    func notMatchable() throws {
        let converted = try Fixtures.convert(.firebase, [Fixtures.input("firebase-cli.json")])
        #expect(try converted.members().allSatisfy { $0.identities.allSatisfy { $0.provider != "gc.apple.com" } })
        #expect(converted.report.unmatched == ["gc.apple.com": 1, "playgames.google.com": 1])
        #expect(converted.text.contains(#"{"provider":"gc.apple.com","subject":"G:1234567890","code":"notMatchable"}"#))
    }

    @Test("A disabled player is banned for ever, and a Firebase token must be newer than validSince")
    func firebaseBan() throws {
        let member = try firebase(#""disabled":true,"validSince":"1704067200""#)
        #expect(member.bans == [ImportedBan(.permanent)])
        #expect(member.validSinceDate == 1_704_067_200_000)
    }

    @Test("Players of another tenant are rejected")
    func tenant() throws {
        let file = Fixtures.input(text: #"{"users":[{"localId":"a","tenantId":"t"},{"localId":"b"}]}"#)
        let without = try Fixtures.convert(.firebase, [file])
        #expect(without.report.rejected == ["otherTenant": 1] && without.report.imported == 1)
        let with = try Fixtures.convert(.firebase, [file]) { $0.tenant = "t" }
        #expect(try with.members().map(\.legacyID) == ["a"])
    }

    @Test("A page that is missing is noted, whatever the order of the pages")
    func pages() throws {
        let (first, second) = (Fixtures.input("firebase-page-1.json"), Fixtures.input("firebase-page-2.json"))
        let alone = try Fixtures.convert(.firebase, [first])
        #expect(alone.report.files[0].notes.contains(.pageFollows) && !alone.report.isComplete)
        #expect(try Fixtures.convert(.firebase, [second, first]).report.isComplete)
    }

    @Test("A last page of Firebase's without players, or without their list, is an empty page")
    func emptyPages() throws {
        let kind = #""kind":"identitytoolkit#DownloadAccountResponse""#
        let users = Fixtures.input(text: #"{\#(kind),"users":[{"localId":"a","lastLoginAt":"1"}],"nextPageToken":"n"}"#)
        for last in [#"{"users":[]}"#, "{\(kind)}", "{\(kind),\"users\":[]}\n", "{\(kind),\"nextPageToken\":\"\"}"] {
            let page = Fixtures.input(text: last)
            let converted = try Fixtures.convert(.firebase, [users, page])
            #expect(converted.report.isComplete && converted.report.read == 1 && converted.incidents.isEmpty, "\(last)")
            // What the command leaves out is no matter of a page of the API.
            #expect(
                converted.report.files.map(\.records) == [1, 0] && converted.report.files[1].notes.isEmpty, "\(last)")
            let alone = try Fixtures.convert(.firebase, [page])
            #expect(alone.report.read == 0 && alone.report.isComplete, "\(last)")
        }
        // A page that names another one is not the last.
        let more = Fixtures.input(text: "{\(kind),\"nextPageToken\":\"n\"}")
        #expect(try !Fixtures.convert(.firebase, [users, more]).report.isComplete)
        // Behind players in one file, as pages that were written one after another.
        let both = Fixtures.input(text: #"{\#(kind),"users":[{"localId":"a"}]}"# + "\n{\(kind)}")
        #expect(try Fixtures.convert(.firebase, [both]).report.isComplete)
        let broken = Fixtures.input(text: #"{\#(kind),"users":[{"localId":"a"}]}"# + "\n{\(kind),\"error\":{}}")
        #expect(try Fixtures.convert(.firebase, [broken]).report.rejected == ["unreadable": 1])
    }

    @Test("Nakama's devices and custom id are devices, its Play Games ids are no subjects, and 1970 is no ban")
    func nakamaRules() throws {
        let member = try nakama(#""custom":"c","devices":["d1","d2","d1"],"google":"g123","disableMs":0"#)
        #expect(member.status == .guest && member.identities.isEmpty && member.bans.isEmpty)
        #expect(member.devices.map(\.kind) == [.customID, .deviceID, .deviceID])
        #expect(try nakama(#""google":"g123""#).status == .unreachable)
        #expect(try nakama(#""username":"nobody""#).status == .unreachable)
        #expect(try nakama(#""disableMs":5"#).bans == [ImportedBan(.permanent, beginDate: 5)])
        for (subject, kind) in [("T:_1", "team"), ("G:1", "game"), ("1", "legacy")] {
            #expect(try nakama(#""gameCenter":"\#(subject)""#).identities[0].kind == kind)
        }
        let system = #"{"id":"00000000-0000-0000-0000-000000000000","createMs":1,"hasPassword":false}"#
        #expect(try Fixtures.convert(.nakama, [Fixtures.input(text: system)]).report.skipped == ["systemUser": 1])
    }

    @Test(
        "A ban that ends more than fifteen years later is one for ever",
        arguments: [(473_040_000_001, BanType.temporary), (473_040_000_002, .permanent)] as [(Int64, BanType)])
    func longBan(end: Int64, type: BanType) throws {
        let text = #"{"id":"a","anonymous":true,"createdMs":1,"bannedUntilMs":\#(end)}"#
        #expect(try member(.supabase, text).bans.map(\.type) == [type])
        let taken = try Fixtures.convert(.supabase, [Fixtures.input(text: text)]) { $0.takenDate = end - 1 }
        #expect(try taken.members()[0].bans.map(\.type) == [.temporary])
    }

    @Test("Two identities of one provider stay two, and Supabase's own providers keep their issuer")
    func supabaseIdentities() throws {
        let member = try member(
            .supabase,
            #"""
            {"id":"a","anonymous":false,"createdMs":1,"identities":[{"provider":"google","subject":"1","iss":"i"},\#
            {"provider":"google","subject":"2"},{"provider":"custom:studio","subject":"3","iss":"https://studio"}]}
            """#)
        #expect(member.identities.map(\.provider) == ["google.com", "google.com", "custom:studio"])
        #expect(member.identities.map(\.issuer) == [nil, nil, "https://studio"])
    }

    @Test("A key of Gamebase is no subject unless the operator has tried it")
    func authKeys() throws {
        let files = ["gamebase.csv", "gamebase-answers.jsonl"].map { Fixtures.input($0) }
        let id = "1346789ABCDFGHJT"
        func member(_ codes: Set<String>) throws -> ImportedMember {
            let converted = try Fixtures.convert(.gamebase, files) { $0.authKeysAreSubjects = codes }
            return try #require(try converted.members().first { $0.legacyID == id })
        }
        let plain = try member([])
        #expect(plain.identities.map(\.provider) == ["line.me"] && plain.lost == [.identities] && plain.userID == id)
        #expect(try member(["naver"]).identities.map(\.subject) == ["U0123456789abcdef0123456789abcdef", "KEY0004"])
    }

    @Test("A ban of Gamebase whose end no file says is one for ever, and marked as a loss")
    func unknownBan() throws {
        let converted = try Fixtures.convert(.gamebase, [Fixtures.input("gamebase.csv")])
        let members = try converted.members()
        #expect(members.first { $0.legacyID == "1346789ABCDFGHJR" }?.lost == [.bans])
        #expect(members.first { $0.legacyID == "1346789ABCDFGHJR" }?.bans == [ImportedBan(.permanent)])
        // Without the line of the Server API, the end of the withdrawal is not known.
        #expect(converted.report.rejected == ["missing": 1])
        #expect(converted.report.skipped == ["withdrawn": 1, "gone": 1])
    }

    @Test("Times without a zone are refused unless the operator says the zone")
    func zone() throws {
        let converted = try Fixtures.convert(.gamebase, [Fixtures.input("gamebase.csv")]) { $0.zoneMinutes = nil }
        #expect(converted.report.rejected["badDate", default: 0] == 9)
        #expect(converted.incidents.allSatisfy { $0.message.contains("--zone") })
    }

    @Test("What is left over is too large for a line or too deep: it is left out, and the member comes along")
    func largeExtra() throws {
        let converted = try Fixtures.convert(
            .nakama,
            [
                Fixtures.input(
                    text: """
                        {"id":"a","createMs":1,"hasPassword":false,"metadata":{"x":"\(String(repeating: "x", count: 70_000))"}}
                        {"id":"b","createMs":1,"hasPassword":false,"metadata":{"number":12345678901234567890}}
                        """)
            ])
        #expect(converted.report.imported == 2)
        #expect(converted.report.reduced == ["extraTooLarge": 1, "roundedNumber": 1])
        #expect(try converted.members()[0].extra == nil)
    }

    @Test("A record with a known id and other content is refused, whichever comes later")
    func twice() throws {
        let one = #"{"id":"a","createMs":1,"hasPassword":false}"#
        let other = #"{"id":"a","createMs":2,"hasPassword":false}"#
        let converted = try Fixtures.convert(
            .nakama, [Fixtures.input(text: [one, other, one].joined(separator: "\n"))])
        #expect(converted.report.rejected == ["twiceInFile": 1] && converted.report.skipped == ["doubled": 1])
        #expect(try converted.members().map(\.registrationDate) == [1])
    }

    @Test("Unknown members are counted by name, and no more than 64 names are kept")
    func ignored() throws {
        let names = (0..<100).map { "\"name\($0)\":1" }.joined(separator: ",")
        let converted = try Fixtures.convert(
            .nakama, [Fixtures.input(text: #"{"id":"a","createMs":1,"hasPassword":false,\#(names)}"#)])
        #expect(converted.report.ignored.count == 65 && converted.report.ignored["(others)"] == 36)
    }

    @Test("Subjects that have not their provider's form are counted")
    func misfits() throws {
        let converted = try Fixtures.convert(
            .firebase,
            [
                Fixtures.input(
                    text: """
                        {"users":[{"localId":"a","providerUserInfo":[{"providerId":"google.com","rawId":"x"},\
                        {"providerId":"apple.com","rawId":"000123.abcdef0123456789abcdef0123456789.0456"}]}]}
                        """)
            ])
        #expect(converted.report.misfits == ["google.com": 1])
    }
}
