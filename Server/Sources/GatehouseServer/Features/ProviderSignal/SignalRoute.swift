import Crypto
import Foundation
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Receives the reports of identity providers, each in its provider's format.
struct SignalRoute: Sendable {
    let accounts: AccountWriter
    let providers: IdentityProviders
    let directory: AppDirectory
    let environment: ServerEnvironment
    let audit: AuditLog
    let trustedProxies: Networks
    let origins: PublicOrigins

    func add(to router: Router<GatehouseContext>) {
        let path = RouterPath(Endpoints.signal)
        router.post(path, use: answer)
        // Kakao may send a query. A person who asks Facebook about the state of a deletion also comes here.
        router.get(path) { request, context in
            guard request.headers[.authorization] == nil else { return try await answer(request, context) }
            _ = try await directory.entry(AppID(context.parameters.get("appId") ?? ""))
            return Self.json(["status": "received"])
        }
    }

    @Sendable private func answer(_ request: Request, _ context: GatehouseContext) async throws -> Response {
        var request = request
        let address = trustedProxies.client(of: request, context)
        let id = context.parameters.get("appId")
        context.visitor.note(app: id, address: address)
        let body = try await RequestBody.collect(&request)
        let message = SignalReader.Message(
            body: Data(body.readableBytesView), query: request.uri.query ?? "",
            authorization: request.headers[.authorization])
        let app = try await directory.entry(AppID(id ?? "")).app
        let provider = Provider(context.parameters.get("idp") ?? "")
        let kind = try await context.whileClientWaits {
            try await receive(
                message, from: provider, app: app, address: address, transactionID: context.transactionID)
        }
        return Self.json(kind == .facebook ? receipt(for: message, request) : [:])
    }

    /// Processes a report from any interface, and returns the kind of its provider.
    @discardableResult
    func receive(
        _ message: SignalReader.Message, from provider: Provider, app: App, address: ClientAddress,
        transactionID: TransactionID
    ) async throws -> ProviderKind {
        let moment = environment.now()
        do {
            let reader = try await providers.signalReader(for: provider, in: app, at: moment)
            var outcome: SignalRules.Outcome?
            if let event = try await reader.event(in: message, at: moment) {
                outcome = try await take(event, app: app, at: moment)
            }
            audit.record(
                .init(
                    event: "provider.signal", app: app.id, actor: .system, address: address.description,
                    transactionID: transactionID,
                    subject: ["idp": provider.rawValue, "outcome": outcome?.name ?? "ignored"]))
            if case .withdrawn(let user)? = outcome {
                audit.record(
                    .init(
                        event: "member.withdrawn", app: app.id, actor: .system, address: nil,
                        transactionID: transactionID, subject: ["userId": user.rawValue, "by": provider.rawValue]))
            }
            return reader.client.configuration.kind
        } catch let failure as IdentityFailure {
            // If the provider can't be asked now, it sends the report again.
            throw failure.refusal(rejected: .userPermission, misconfigured: .notSupported)
        }
    }

    private func take(_ event: SignalRules.Event, app: App, at moment: Moment) async throws -> SignalRules.Outcome {
        let change = Change(
            Viewpoint(app: app, moment: moment), by: .provider(event.identity.provider), random: accounts.random,
            vault: accounts.vault)
        return try await accounts.transact(at: moment) { tx in try SignalRules.take(event, change, in: tx) }
    }

    /// Facebook requires a page about the deletion, and a confirmation code.
    private func receipt(for message: SignalReader.Message, _ request: Request) -> [String: String] {
        let code = SHA256.hash(data: message.body).prefix(8).map { String(format: "%02x", $0) }.joined()
        let host = request.head.authority ?? ""
        let origin = ["https://\(host)", "http://\(host)"].first(where: origins.contains) ?? ""
        return ["url": "\(origin)\(request.uri.path)?code=\(code)", "confirmation_code": code]
    }

    private static func json(_ members: [String: String]) -> Response {
        let body = (try? JSONWriter.bytes(of: members)) ?? []
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
