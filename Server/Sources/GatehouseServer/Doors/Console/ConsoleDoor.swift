import GatehouseConsole
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The way to the operator console. For everybody outside its networks the path does not exist.
struct ConsoleDoor<Next: HTTPResponder>: HTTPResponder where Next.Context == ConsoleContext {
    let next: Next
    let trustedProxies: Networks
    /// Whether this server itself takes nothing but TLS.
    let hasTLS: Bool
    let notFound: ContractErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let address = trustedProxies.client(of: request, context)
        context.visitor.note(app: nil, address: address)
        context.visitor.note(route: Console.prefix)
        let source = ConsoleContext.Source(
            logger: context.logger, address: address, transactionID: context.transactionID,
            isForwardedByStranger: trustedProxies.isForwardedByStranger(request, context),
            isInTheClear: !hasTLS && !Networks.loopback.contains(address)
                && !trustedProxies.isEncrypted(request, context),
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
    /// it forwards somebody else's request (NET-2). Some proxies of the same machine add no header; then the request names the host that
    /// the internet knows, while this machine's own requests name this machine.
    func isForwardedByStranger(_ request: Request, _ context: GatehouseContext) -> Bool {
        guard !contains(context.peer) else { return false }
        if Self.forwarding.contains(where: { request.headers[$0] != nil }) { return true }
        return Networks.loopback.contains(context.peer) && !Self.isLoopbackHost(request.head.authority ?? "")
    }

    /// Whether a trusted proxy says that the browser has reached it by HTTPS (NET-3). The last entry is the one that the proxy itself has
    /// written.
    func isEncrypted(_ request: Request, _ context: GatehouseContext) -> Bool {
        guard contains(context.peer) else { return false }
        if let scheme = request.headers.values(of: Self.forwardedScheme).last {
            return scheme.parts(at: ",").last?.trimmingSpaces().lowercasedASCII == "https"
        }
        return request.headers.values(of: Self.forwarded).last?.parts(at: ",").last?.parts(at: ";")
            .contains { ["proto=https", "proto=\"https\""].contains($0.trimmingSpaces().lowercasedASCII) } ?? false
    }

    private static let forwardedScheme = HTTPField.Name("X-Forwarded-Proto")
    private static let forwarded = HTTPField.Name("Forwarded")

    /// Whether an authority is a name or an address of this machine.
    private static func isLoopbackHost(_ authority: String) -> Bool {
        let host = authority.parts(at: ":", atMost: 2).first?.lowercasedASCII ?? ""
        return host == "localhost" || host.ends(with: ".localhost")
            || (ClientAddress(authority).map(Networks.loopback.contains) ?? false)
    }
}
