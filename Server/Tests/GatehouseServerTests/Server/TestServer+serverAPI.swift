import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Testing

/// A response of the Server API, as an existing game server reads it.
struct ServerAPIAnswer: Sendable {
    let answer: TestAnswer
    let body: JSONValue

    var text: String { answer.text }
    var header: [String: JSONValue] { body["header"]?.objectValue ?? [:] }
    var code: Int? { header["resultCode"]?.integerValue.map(Int.init) }

    subscript(_ name: String) -> JSONValue? { body[name] }

    /// The members of an object, sorted.
    func names(_ value: JSONValue?) -> [String] { value?.objectValue?.keys.sorted() ?? [] }
}

extension JSONValue {
    var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    subscript(_ name: String) -> JSONValue? { objectValue?[name] }
    subscript(_ index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension TestServer {
    /// A call of Gamebase's Server API. Every response has status 200 and a complete header.
    ///
    /// - Parameter path: the part after `/tcgb-`, with `{a}` for the app.
    func tcgb(
        _ method: HTTPRequest.Method, _ path: String, body: String? = nil, app: AppID = TestServer.app,
        secret: String? = nil, headers: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ServerAPIAnswer {
        var all = [
            "Content-Type": "application/json; charset=UTF-8",
            HeaderNames.secretKey: secret ?? self.secret.secretValue,
        ]
        all.merge(headers) { $1 }
        let answer = try await send(
            TestCall(
                method: method, path: "/tcgb-" + path.replacing("{a}", with: app.rawValue),
                headers: all.filter { !$0.value.isEmpty }, body: body))
        let result = ServerAPIAnswer(answer: answer, body: try answer.decoded(as: JSONValue.self))
        let transactionID = try #require(HTTPField.Name(HeaderNames.transactionID))
        #expect(answer.status == 200, sourceLocation: sourceLocation)
        #expect(answer.headers[.contentType] == "application/json;charset=UTF-8", sourceLocation: sourceLocation)
        #expect(
            result.header["transactionId"]?.stringValue == answer.headers[transactionID],
            sourceLocation: sourceLocation)
        #expect(result.header["isSuccessful"]?.boolValue == (result.code == 0), sourceLocation: sourceLocation)
        #expect((result.header["resultMessage"]?.stringValue ?? "").isEmpty == false, sourceLocation: sourceLocation)
        // It is present with every failure, and never with a success.
        #expect((result.header["traceError"] != nil) == (result.code != 0), sourceLocation: sourceLocation)
        #expect(!answer.text.contains(self.secret.secretValue), sourceLocation: sourceLocation)
        return result
    }

    /// A time in the format of the documents' queries.
    static func query(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        ).replacing("Z", with: "%2b00%3a00").replacing(":", with: "%3a")
    }

    /// From an hour before now to an hour after.
    var hours: String {
        "begin=\(Self.query(clock.now.milliseconds - 3_600_000))&end=\(Self.query(clock.now.milliseconds + 3_600_000))"
    }
}
