import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// A door: a router of its own, with its own authentication, error form and admission.
struct Door: Sendable {
    /// How the paths of the door begin.
    let prefix: String
    let responder: any HTTPResponder<GatehouseContext>
}

/// Passes a request to its door. This is the only place that looks at a path before a router does.
struct DoorSwitch: HTTPResponder {
    let doors: [Door]
    /// The door for every other path.
    let other: any HTTPResponder<GatehouseContext>
    let malformed: any ErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let path = request.head.path ?? ""
        guard Self.isReadable(request) else {
            let refusal = Refusal(
                .invalidParameter, "The request's target or a header has text that no client sends.", httpStatus: 400)
            context.visitor.note(code: refusal.code)
            return malformed.response(
                to: DoorFailure(
                    error: refusal, refusal: refusal, path: "", transactionID: context.transactionID))
        }
        let responder = doors.first { path.begins(with: $0.prefix) }?.responder ?? other
        return try await responder.respond(to: request, context: context)
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
