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
    let believesLoopback: Bool
    let notFound: ContractErrorForm

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let address = trustedProxies.client(of: request, context)
        context.notes.note(app: nil, address: address)
        context.notes.note(route: Console.prefix)
        let source = ConsoleContext.Source(
            logger: context.logger, address: address, transactionID: context.transactionID,
            isForwardedByStranger: trustedProxies.isForwardedByStranger(
                request, context, believesLoopback: believesLoopback),
            isInTheClear: !hasTLS && !Networks.loopback.contains(address)
                && !trustedProxies.isEncrypted(request, context),
            refused: { [notes = context.notes] in notes.note(code: $0) })
        do {
            return try await next.respond(to: request, context: ConsoleContext(source: source))
        } catch {
            let refusal = error as? Refusal ?? Refusal(.notSupported, "There is no such path.")
            context.notes.note(code: refusal.code)
            return notFound.response(
                to: DoorFailure(
                    error: error, refusal: refusal, path: request.uri.path, transactionID: context.transactionID))
        }
    }
}

extension Networks {
    private static let forwarding = ["Forwarded", "X-Real-IP"].compactMap { HTTPField.Name($0) }

    /// Whether the request may be a stranger's that a proxy has passed on, without one word of a trusted proxy about whose it is. The
    /// proxy's own address may be permitted, but it forwards somebody else's request (NET-2).
    ///
    /// Some proxies of the same machine add no header. Then the request may name the host that the internet knows, while this machine's
    /// own requests name this machine. But other proxies replace the host by this machine's, and behind one that passes bytes on the
    /// stranger writes it, so the host alone shows nothing where such a proxy may run.
    ///
    /// - Parameter believesLoopback: whether a request of this machine that names this machine is its own.
    func isForwardedByStranger(_ request: Request, _ context: GatehouseContext, believesLoopback: Bool) -> Bool {
        let isTrusted = contains(context.peer)
        if !request.headers.values(of: Headers.forwardedFor).isEmpty { return !isTrusted }
        // `X-Forwarded-For` alone names the client, so with another of these headers a trusted proxy has left the client unnamed.
        if Self.forwarding.contains(where: { request.headers[$0] != nil }) { return true }
        guard Networks.loopback.contains(context.peer) else { return false }
        return !Networks.isLoopback(authority: request.head.authority ?? "") || !(isTrusted || believesLoopback)
    }

    /// Whether the trusted proxy that the browser has reached says that it did so by HTTPS (NET-3). Behind it, proxies may speak plain
    /// HTTP with each other.
    func isEncrypted(_ request: Request, _ context: GatehouseContext) -> Bool {
        let hops = request.headers.values(of: Headers.forwardedFor)
        let schemes = request.headers.values(of: Self.forwardedScheme)
        let list = (schemes.isEmpty ? request.headers.values(of: Self.forwarded) : schemes)
            .flatMap { $0.parts(at: ",") }
        guard let word = self.word(in: list, peer: context.peer, forwardedFor: hops) else { return false }
        guard schemes.isEmpty else { return word.trimmingSpaces().lowercasedASCII == "https" }
        return word.parts(at: ";")
            .contains { ["proto=https", "proto=\"https\""].contains($0.trimmingSpaces().lowercasedASCII) }
    }

    private static let forwardedScheme = HTTPField.Name("X-Forwarded-Proto")
    private static let forwarded = HTTPField.Name("Forwarded")
}
