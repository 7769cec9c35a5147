import Foundation
import GatehouseWire
import Testing

@testable import Gamebase
@testable import Gatehouse

/// The details of errors: which library's number comes with which code.
@Suite struct DetailErrorTests {
    /// The rows of the compatibility page's table: domain, number, code.
    private static func documented() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/gamebase-compatibility.md"), encoding: .utf8)
        return page.matches(of: #/(?m)^\| `(Gatehouse\w+)` \| (\d+) \|/#).map { "\($0.1) \($0.2)" }
    }

    @Test(
        "ERROR-2: a detail of the SDK's own has the number and the domain of the documents, in Gamebase's errors, too")
    func numbers() throws {
        let errors: [(code: ErrorCode, error: any Error, detail: String, message: String)] = [
            (
                .authUserCanceled, AdapterError.cancelled, "GatehouseAdapter 1",
                "The player has closed the provider's page."
            ),
            (
                .authIDPLoginExternalAuthenticationRequired, AdapterError.externalLoginRequired, "GatehouseAdapter 2",
                "The player has to log in at the provider outside of the game."
            ),
            (
                .authIDPLoginFailed, AdapterError.refused(ErrorReason("nonce")), "GatehouseAdapter 3",
                "The login was refused: nonce."
            ),
            (.socketResponseTimeout, TransportError.timedOut, "GatehouseTransport 1", "No answer came in time."),
            (.socketError, TransportError.unreachable("no such host"), "GatehouseTransport 2", "no such host"),
            (.authTokenLoginFailed, SecureStorageError.unavailable("locked"), "GatehouseStorage 1", "locked"),
            (.authUnknownError, SecureStorageError.corrupt("no JSON"), "GatehouseStorage 2", "no JSON"),
        ]
        for (code, cause, detail, message) in errors {
            let own = AuthError(code, underlying: cause)
            let error = TCGBError(own)
            let json = try JSONDecoder().decode(JSONValue.self, from: Data(error.description.utf8))
            let inner = try #require(json.objectValue?["error"]?.objectValue)
            #expect("\(inner["domain"]?.stringValue ?? "") \(inner["code"]?.integerValue ?? -1)" == detail)
            #expect(inner["message"]?.stringValue == message)
            #expect(detail.hasSuffix(" \(error.detailErrorCode())") && own.detailErrorCode == error.detailErrorCode())
            #expect(error.detailErrorMessage() == message && own.detailErrorMessage == message)
        }
        #expect(try Self.documented().sorted() == errors.map(\.detail).sorted())
        #expect(TCGBError(AuthError(.authUserCanceled)).detailErrorCode() == 0)
    }

    private static let library = NSError(
        domain: "library", code: 304, userInfo: [NSLocalizedDescriptionKey: "no key hash"])

    /// How a login ends whose adapter completes with an error: code, detail, message.
    private func end(_ error: TCGBError) -> String {
        guard case .failure(let failure) = DelegateAdapter.result(nil, error, .facebook) else { return "a success" }
        let cause =
            failure as? AuthError ?? AuthError(.authExternalLibraryError, message: "", underlying: failure)
        return "\(cause.code.rawValue) \(cause.detailErrorCode) \(cause.detailErrorMessage ?? cause.message)"
    }

    @Test("An adapter's code is the login's if an adapter can know it, and the detail of 3009 if not")
    func ofAdapters() {
        for code in [51, 101, 110, 3_001, 3_002, 3_006, 3_009, 3_201, 3_202, 3_203] {
            #expect(end(.result(code: code, message: "own")) == "\(code) 0 own")
            let wrapping = TCGBError.result(
                domain: TCGBDomainGamebase, code: code, description: "own", underlyingError: Self.library)
            #expect(end(wrapping) == "\(code) 304 no key hash")
        }
        // Only the server knows of bans, sessions and mappings.
        for code in [0, -1, 7, 304, 3_011, 3_302, 3_701] {
            #expect(end(.result(code: code, message: "own")) == "3009 \(code) own")
        }
        // In a domain of its own a number is the library's, whatever Gamebase means by it.
        #expect(end(.result(domain: "FBSDK", code: 3_006, description: "own", underlyingError: nil)) == "3009 3006 own")
        #expect(end(.error(error: Self.library, transactionId: nil)) == "3009 304 no key hash")
        let adapter = TCGBError.result(
            domain: "adapter", code: 3_009, description: "failed", underlyingError: Self.library)
        #expect(end(adapter) == "3009 304 no key hash")
        // A player who has cancelled is recognised in every domain, as before.
        let cancelled = TCGBError.result(
            domain: "adapter", code: 3_001, description: nil, underlyingError: Self.library)
        #expect(end(cancelled) == "3001 304 no key hash")
    }

    /// The domain and the number of the detail that a game sees when its adapter completes with an error.
    private func detail(_ error: TCGBError) throws -> String {
        guard case .failure(let failure) = DelegateAdapter.result(nil, error, .facebook) else { return "a success" }
        let cause = failure as? AuthError ?? AuthError(.authExternalLibraryError, underlying: failure)
        let inner = try #require(TCGBError(cause).userInfo[NSUnderlyingErrorKey] as? NSError)
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(TCGBError(cause).description.utf8))
        #expect(json.objectValue?["error"]?.objectValue?["domain"]?.stringValue == inner.domain)
        #expect(!"\(cause)".contains("canary") && !TCGBError(cause).description.contains("canary"))
        return "\(inner.domain) \(inner.code)"
    }

    @Test("ERROR-2: a library's error keeps its domain, with each code, and brings nothing else along")
    func domains() throws {
        let library = NSError(
            domain: "FBSDK", code: 304, userInfo: [NSLocalizedDescriptionKey: "no key hash", "token": "canary"])
        for (domain, code) in [(TCGBDomainGamebase, 3_009), (TCGBDomainGamebase, 3_201), ("adapter", 1)] {
            let error = TCGBError.result(domain: domain, code: code, description: "own", underlyingError: library)
            #expect(try detail(error) == "FBSDK 304")
        }
        #expect(try detail(.error(error: library, transactionId: nil)) == "FBSDK 304")
        // A number of Gamebase's that is not an adapter's to tell.
        #expect(try detail(.result(code: 7, message: "own")) == "AuthAdapter 7")
    }
}
