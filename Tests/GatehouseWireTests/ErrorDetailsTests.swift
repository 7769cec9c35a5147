import Foundation
import Testing

@testable import GatehouseWire

/// What an error says beside its code: names and forms outlive versions.
@Suite struct ErrorDetailsTests {
    private static let kinds: [(details: ErrorDetails, json: String)] = [
        (ErrorDetails(reason: .scope), #"{"reason":"scope"}"#),
        (ErrorDetails(retryAfterSeconds: 5), #"{"retryAfterSeconds":5}"#),
        (ErrorDetails(serverDate: 6), #"{"serverDate":6}"#),
        (ErrorDetails(parameter: "p"), #"{"parameter":"p"}"#),
        (ErrorDetails(setting: "s"), #"{"setting":"s"}"#),
        (ErrorDetails(launchingStatus: .maintenance), #"{"launchingStatus":303}"#),
        (
            ErrorDetails(maintenance: Maintenance(beginDate: 1, endDate: 2, message: "m", url: nil, reason: nil)),
            #"{"maintenance":{"beginDate":1,"endDate":2,"message":"m"}}"#
        ),
        (
            ErrorDetails(
                standing: Standing(
                    isPlayable: false, reason: .banned, untilDate: 2, launchingStatus: .inService,
                    memberStatus: .banned, message: nil, actions: [.wait])),
            #"{"standing":{"actions":["wait"],"isPlayable":false,"launchingStatus":200,"memberStatus":"B","#
                + #""reason":"banned","untilDate":2}}"#
        ),
        (
            ErrorDetails(
                ban: Ban(
                    userId: "U", banType: .temporary, beginDate: 1, endDate: 2, message: "m", contact: nil,
                    contactUrl: nil)),
            #"{"ban":{"banType":"TEMPORARY","beginDate":1,"endDate":2,"message":"m","userId":"U"}}"#
        ),
        (ErrorDetails(message: "m"), #"{"message":"m"}"#),
        (ErrorDetails(provider: .apple), #"{"provider":"appleid"}"#),
        (ErrorDetails(providers: [.naver, .apple]), #"{"providers":["naver","appleid"]}"#),
        (
            ErrorDetails(
                forcingMappingTicket: ForcingMappingTicket(
                    userId: "A", mappedUserId: "B", mappedUserValid: .normal, provider: .google,
                    forcingMappingKey: ForcingMappingKey("k"), expirationDate: 9,
                    mappedMember: MemberSummary(registrationDate: 1, lastLoginDate: 2, providers: [.google]))),
            #"{"forcingMappingTicket":{"expirationDate":9,"forcingMappingKey":"k","mappedMember":{"lastLoginDate":2,"#
                + #""providers":["google"],"registrationDate":1},"mappedUserId":"B","mappedUserValid":"Y","#
                + #""provider":"google","userId":"A"}}"#
        ),
        (
            ErrorDetails(
                transferBlock: TransferBlock(accountId: "A", failCount: 5, blockEndDate: 2, registrationDate: 1)),
            #"{"failTransferAccount":{"accountId":"A","blockEndDate":2,"failCount":5,"registrationDate":1}}"#
        ),
        (ErrorDetails(code: ErrorCode(rawValue: 777_777)), #"{"code":777777}"#),
        (
            ErrorDetails(other: ["later": ["x": [1, .null, true, 1.5]]]), #"{"later":{"x":[1,null,true,1.5]}}"#
        ),
        (ErrorDetails(), "{}"),
    ]

    @Test("Each detail has its name and its form on the wire, in both directions")
    func forms() throws {
        var covered: Set = ["other"]
        for (details, text) in Self.kinds {
            #expect(try Self.text(details) == text)
            #expect(try Self.read(text) == details)
            for (name, value) in Mirror(reflecting: details).children where name != "other" {
                // The mirror of an optional has its value, if it has one.
                if !Mirror(reflecting: value).children.isEmpty { covered.insert(name ?? "") }
            }
        }
        #expect(covered == Set(Mirror(reflecting: ErrorDetails()).children.compactMap(\.label)))
    }

    @Test("Details come together")
    func together() throws {
        let texts = Self.kinds.map { $0.json.dropFirst().dropLast() }.filter { !$0.isEmpty }
        let details = try Self.read("{\(texts.joined(separator: ","))}")
        #expect(details.ban?.userId == "U" && details.transferBlock?.failCount == 5 && details.reason == .scope)
        #expect(details.other.keys.sorted() == ["later"])
        #expect(try Self.read(Self.text(details)) == details)
    }

    @Test(
        "ERROR-3: a name whose form is unknown keeps its value, and nothing else is lost",
        arguments: [
            #""ban":{"userId":"U","banType":"SHADOW"}"#, #""ban":null"#, #""ban":[]"#, #""reason":{"word":"scope"}"#,
            #""retryAfterSeconds":"5""#, #""launchingStatus":"closed""#, #""failTransferAccount":{"accountId":1}"#,
            #""provider":7"#, #""later":{"ban":1}"#,
        ])
    func unknownForms(member: String) throws {
        let details = try Self.read("{\(member),\"message\":\"m\",\"standing\":7}")
        let (name, value) = try #require(
            try JSONDecoder().decode([String: JSONValue].self, from: Data("{\(member)}".utf8)).first)
        #expect(details == ErrorDetails(message: "m", other: [name: value, "standing": 7]))
        #expect(try Self.read(Self.text(details)) == details)
    }

    private static func text(_ details: ErrorDetails) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(details), as: UTF8.self)
    }

    private static func read(_ text: String) throws -> ErrorDetails {
        try JSONDecoder().decode(ErrorDetails.self, from: Data(text.utf8))
    }
}
