import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// A door: a router of its own, with its own authentication, error form and admission.
struct Door: Sendable {
    /// How the paths of the door begin.
    let prefix: String
    let responder: any HTTPResponder<GatehouseContext>
    let form: any ErrorForm
}

/// Passes a request to its door. This is the only place that looks at a path before a router does.
struct DoorSwitch: HTTPResponder {
    let doors: [Door]
    /// The door for every other path.
    let other: any HTTPResponder<GatehouseContext>
    let malformed: any ErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        guard Self.isReadable(request) else {
            let refusal = Refusal(
                .invalidParameter, "The request's target or a header has text that no client sends.", httpStatus: 400)
            return refused(refusal, refusal, malformed, context)
        }
        let path = request.head.path ?? ""
        let door = doors.first { path.begins(with: $0.prefix) }
        if !request.expectsAtMostContinue {
            let refusal = Refusal(
                .invalidParameter, "The server meets no other expectation than 100-continue.",
                details: ErrorDetails(parameter: "Expect"), httpStatus: 417)
            return refused(refusal, refusal, door?.form ?? malformed, context)
        }
        if request.hasEncodedBody {
            let error = EncodingNotTaken()
            return refused(error, error.refusal, door?.form ?? malformed, context)
        }
        var request = request
        if request.awaitsContinue {
            request.body = HummingbirdCore.RequestBody(
                asyncSequence: AwaitedBody(body: request.body, ask: context.askForBody))
        }
        return try await (door?.responder ?? other).respond(to: request, context: context)
    }

    /// The answer to a request that is refused for its head. It names no path, which may contain a token.
    private func refused(
        _ error: any Error, _ refusal: Refusal, _ form: any ErrorForm, _ context: GatehouseContext
    ) -> Response {
        context.visitor.note(code: refusal.code)
        return form.response(
            to: DoorFailure(error: error, refusal: refusal, path: "", transactionID: context.transactionID))
    }

    /// Whether the target and the host are ASCII, as those of a URL are, and no header has more marks on a letter than
    /// ``CombiningMarks/maximum``. Routers and libraries compare them by `Character` (INP-1).
    private static func isReadable(_ request: Request) -> Bool {
        ASCII.isAll(request.head.path ?? "") && ASCII.isAll(request.head.authority ?? "")
            && request.headers.allSatisfy { field in
                field.withUnsafeBytesOfValue(ASCII.isAll) || CombiningMarks.areFew(in: field.value)
            }
    }
}

/// The body is compressed, or encoded in another way that this server does not read (RFC 9110 section 15.5.16).
struct EncodingNotTaken: RefusalCarrying {
    /// The encodings that are taken.
    static let taken = "identity"

    var refusal: Refusal {
        Refusal(
            .invalidParameter, "The body's Content-Encoding is not taken. Taken is: \(Self.taken).",
            details: ErrorDetails(parameter: "Content-Encoding"), httpStatus: 415)
    }
}

extension Request {
    /// Whether the client waits to be asked for the body (RFC 9110 section 10.1.1). What can be refused by the head is refused first.
    var awaitsContinue: Bool { headers[.expect] != nil }

    fileprivate var expectsAtMostContinue: Bool {
        guard let expected = headers[.expect] else { return true }
        return expected.parts(at: ",").allSatisfy { $0.trimmingSpaces().lowercasedASCII == "100-continue" }
    }

    /// Whether the body is in another form than its type says. Without a body the header means nothing.
    fileprivate var hasEncodedBody: Bool {
        guard let encodings = headers[.contentEncoding], method != .get, headers[.contentLength] != "0" else {
            return false
        }
        return !encodings.parts(at: ",").allSatisfy { $0.trimmingSpaces().lowercasedASCII == EncodingNotTaken.taken }
    }
}

/// A body that its client sends only when it is asked to. Who reads it asks, so nothing that is refused before costs the client a body.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: HummingbirdCore.RequestBody
    let ask: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: HummingbirdCore.RequestBody.AsyncIterator
        var ask: (@Sendable () -> Void)?

        mutating func next() async throws -> ByteBuffer? {
            ask?()
            ask = nil
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), ask: ask) }
}
