import GatehouseImport
import Testing

/// The strict form of a record: its limits, and what its digest covers.
@Suite struct RecordTests {
    private static let whole = """
        {"legacyId":"a","registrationDate":1,"lastLoginDate":2,"status":"withdrawn","identities":[{"provider":"google.com",\
        "subject":"1","kind":"k","issuer":"i","registrationDate":3},{"provider":"apple.com","subject":"2"}],"devices":\
        [{"kind":"deviceId","value":"d"},{"kind":"guestId","sha256":"\(String(repeating: "0a", count: 32))"}],"bans":\
        [{"type":"TEMPORARY","beginDate":4,"endDate":5,"reason":"r"},{"type":"PERMANENT"}],"withdrawal":\
        {"gracePeriodDate":6},"validSinceDate":7,"userId":"1346789ABCDFGHJK","lost":["identities","bans"],"extra":\
        {"z":[1,2.5,null,true,"\\""],"a":{}}}
        """

    private func read(_ text: String) throws(RecordProblem) -> ImportedMember {
        try ImportedMember(line: Array(text.utf8))
    }

    @Test("A record with every member is written as it was read")
    func everything() throws {
        let member = try read(Self.whole)
        #expect(String(decoding: member.bytes, as: UTF8.self) == Self.whole)
        #expect(member.devices[0].hash == "18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4")
    }

    @Test("Null is the same as absent")
    func null() throws {
        let text = #"{"legacyId":"a","status":"guest","withdrawal":null,"userId":null,"identities":null,"lost":null}"#
        #expect(try read(text) == ImportedMember(legacyID: "a"))
    }

    private static func list(_ name: String, _ element: String, _ count: Int) -> String {
        "\"\(name)\":[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    @Test(
        "What is beyond the limits or contradicts itself is refused by name and place",
        arguments: [
            ("[]", .badType, ""), ("{", .badJSON, ""), (#""status":"guest""#, .missing, "legacyId"),
            (#""legacyId":"","status":"guest""#, .badID, "legacyId"),
            (#""legacyId":"a\u0007","status":"guest""#, .badID, "legacyId"),
            (#""legacyId":"a\u0085","status":"guest""#, .badID, "legacyId"),
            (#""legacyId":"\#(String(repeating: "é", count: 257))","status":"guest""#, .tooLong, "legacyId"),
            (#""legacyId":1,"status":"guest""#, .badType, "legacyId"),
            (#""legacyId":"a""#, .missing, "status"), (#""legacyId":"a","status":"Guest""#, .unknownValue, "status"),
            (#""legacyId":"a","status":"active""#, .inconsistent, "status"),
            (#""legacyId":"a","status":"withdrawn""#, .inconsistent, "withdrawal"),
            (#""legacyId":"a","status":"guest","withdrawal":{"gracePeriodDate":1}"#, .inconsistent, "withdrawal"),
            (#""legacyId":"a","status":"guest","email":"x""#, .unknownMember, ""),
            (#""legacyId":"a","status":"guest","registrationDate":-1"#, .badDate, "registrationDate"),
            (#""legacyId":"a","status":"guest","registrationDate":253402300800000"#, .badDate, "registrationDate"),
            (#""legacyId":"a","status":"guest","registrationDate":99999999999999999999"#, .badType, "registrationDate"),
            (#""legacyId":"a","status":"guest","registrationDate":1.5"#, .badType, "registrationDate"),
            (#""legacyId":"a","status":"guest","registrationDate":"1""#, .badType, "registrationDate"),
            (#""legacyId":"a","status":"guest","userId":"1346789ABCDFGHJ0""#, .badID, "userId"),
            (#""legacyId":"a","status":"guest","lost":["identities","identities"]"#, .unknownValue, "lost[1]"),
            (#""legacyId":"a","status":"guest","extra":[]"#, .badType, "extra"),
            (
                #""legacyId":"a","status":"active","identities":[{"provider":"p"}]"#, .missing, "identities[0].subject"
            ),
            (
                #""legacyId":"a","status":"active","identities":[{"provider":"p","subject":"s","mail":1}]"#,
                .unknownMember, "identities[0]"
            ),
            (
                #""legacyId":"a","status":"guest","devices":[{"kind":"deviceId","value":"v","sha256":"0"}]"#, .missing,
                "devices[0]"
            ),
            (#""legacyId":"a","status":"guest","devices":[{"kind":"deviceId"}]"#, .missing, "devices[0]"),
            (
                #""legacyId":"a","status":"guest","devices":[{"kind":"deviceId","sha256":"0A"}]"#, .badID,
                "devices[0].sha256"
            ),
            (
                #""legacyId":"a","status":"guest","devices":[{"kind":"x","value":"v"}]"#, .unknownValue,
                "devices[0].kind"
            ),
            (#""legacyId":"a","status":"guest","bans":[{"type":"TEMPORARY"}]"#, .inconsistent, "bans[0].endDate"),
            (
                #""legacyId":"a","status":"guest","bans":[{"type":"PERMANENT","endDate":1}]"#, .inconsistent,
                "bans[0].endDate"
            ),
            (#""legacyId":"a","status":"guest","bans":[{"type":"x"}]"#, .unknownValue, "bans[0].type"),
            (
                #""legacyId":"a","status":"active","# + list("identities", #"{"provider":"p","subject":"s"}"#, 33),
                .tooMany, "identities"
            ),
            (
                #""legacyId":"a","status":"guest","# + list("devices", #"{"kind":"deviceId","value":"v"}"#, 65),
                .tooMany,
                "devices"
            ),
            (#""legacyId":"a","status":"guest","# + list("bans", #"{"type":"PERMANENT"}"#, 65), .tooMany, "bans"),
            (
                #""legacyId":"a","status":"guest","extra":{"x":"\#(String(repeating: "x", count: 65_536))"}"#, .tooLong,
                ""
            ),
        ] as [(String, RecordProblem.Code, String)])
    func refused(members: String, code: RecordProblem.Code, path: String) throws {
        let text = members.first == "[" || members == "{" ? members : "{\(members)}"
        let problem = #expect(throws: RecordProblem.self) { try read(text) }
        #expect(problem?.code == code)
        #expect(problem?.path == path)
    }

    @Test("A record at its limits is taken")
    func limits() throws {
        let id = String(repeating: "é", count: 256)
        let text =
            "{\"legacyId\":\"\(id)\",\"status\":\"active\","
            + Self.list("identities", #"{"provider":"p","subject":"s"}"#, 32) + ","
            + Self.list("devices", #"{"kind":"deviceId","value":"v"}"#, 64) + ","
            + Self.list("bans", #"{"type":"PERMANENT"}"#, 64) + "}"
        #expect(try read(text).legacyID == id)
    }

    @Test("The digest covers what an import acts on, whatever the order, and a device's id is its hash")
    func digest() throws {
        let member = try read(Self.whole)
        var same = member
        same.lastLoginDate = 99
        same.extra = nil
        same.identities.reverse()
        same.devices.reverse()
        same.bans.reverse()
        same.lost.reverse()
        same.devices = same.devices.map { ImportedDevice($0.kind, .sha256($0.hash)) }
        #expect(same.digest == member.digest)
        for change: (inout ImportedMember) -> Void in [
            { $0.legacyID = "b" }, { $0.registrationDate = nil }, { $0.status = .guest },
            { $0.identities[0].subject = "9" },
            { $0.identities[0].kind = nil }, { $0.devices.removeFirst() }, { $0.bans[0].endDate = 6 },
            { $0.gracePeriodDate = 7 }, { $0.validSinceDate = 8 }, { $0.userID = nil }, { $0.lost = [] },
        ] {
            var other = member
            change(&other)
            #expect(other.digest != member.digest)
        }
    }
}
