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

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let path = request.head.path ?? ""
        let responder = doors.first { path.hasPrefix($0.prefix) }?.responder ?? other
        return try await responder.respond(to: request, context: context)
    }
}
