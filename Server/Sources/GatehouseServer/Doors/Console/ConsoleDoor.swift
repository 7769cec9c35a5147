import GatehouseConsole
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The way to the operator console. For everybody outside its networks the path does not exist.
struct ConsoleDoor<Next: HTTPResponder>: HTTPResponder where Next.Context == ConsoleContext {
    let next: Next
    let trustedProxies: Networks
    let notFound: ContractErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let address = trustedProxies.client(of: request, context)
        context.visitor.note(app: nil, address: address)
        context.visitor.note(route: Console.prefix)
        let source = ConsoleContext.Source(
            logger: context.logger, address: address, transactionID: context.transactionID,
            isForwardedByStranger: trustedProxies.isForwardedByStranger(request, context),
            refused: { [visitor = context.visitor] in visitor.note(code: $0) })
        do {
            return try await next.respond(to: request, context: ConsoleContext(source: source))
        } catch {
            let refusal = error as? Refusal ?? Refusal(.notSupported, "There is no such path.")
            context.visitor.note(code: refusal.code)
            return notFound.response(
                to: DoorFailure(
                    error: error, refusal: refusal, path: request.uri.path, transactionID: context.transactionID))
        }
    }
}

extension Networks {
    private static let forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP"].compactMap { HTTPField.Name($0) }

    /// Whether the request was forwarded by a proxy that the operator has not configured. The proxy's own address may be permitted, but
    /// it forwards somebody else's request (NET-2).
    func isForwardedByStranger(_ request: Request, _ context: GatehouseContext) -> Bool {
        guard !contains(context.peer) else { return false }
        return Self.forwarding.contains { request.headers[$0] != nil }
    }
}
