import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

extension ContractDoor {
    /// Every call of players, in one line each.
    func addPlayerRoutes(to group: RouterGroup<GatehouseContext>) {
        on(Endpoints.launching, in: group) { _ in ReadLaunchingInformation() }
        on(Endpoints.keys, in: group, cacheControl: "public, max-age=\(ReadKeys.cacheSeconds)") { _ in ReadKeys() }
        on(Endpoints.logIn, in: group, mayWait: { $0.provider != .guest }) { LogIn(credential: $0) }
        on(Endpoints.logInWithLastProvider, in: group) { _ in LogInWithLastProvider() }
        on(Endpoints.beginLogin, in: group, mayWait: { _ in true }) { BeginLogin(request: $0) }
        on(Endpoints.migrate, in: group, mayWait: { _ in true }) { MigratePlayer(request: $0) }
        on(Endpoints.migrationTicket, in: group) { _ in IssueMigrationTicket() }
        on(Endpoints.changeLogin, in: group) { ChangeLogin(ticket: $0) }
        on(Endpoints.refreshSession, in: group) { _ in RefreshSession() }
        on(Endpoints.logOut, in: group) { _ in LogOut() }
        on(Endpoints.sessions, in: group) { _ in ListOwnSessions() }
        on(Endpoints.endSession, in: group) { EndOwnSession(session: $0.sessionId) }
        on(Endpoints.endOtherSessions, in: group) { _ in EndOtherSessions() }
        on(Endpoints.heartbeat, in: group) { _ in SendHeartbeat() }
        on(Endpoints.member, in: group) { _ in ReadOwnMember() }
        on(Endpoints.ownProfile, in: group) { ReadOwnProfile(request: $0) }
        on(Endpoints.addMapping, in: group, mayWait: { _ in true }) { AddMapping(credential: $0) }
        on(Endpoints.forceMapping, in: group) { ForceMapping(ticket: $0) }
        on(Endpoints.removeMapping, in: group) { RemoveMapping(removal: $0) }
        on(Endpoints.issueTransferAccount, in: group) { _ in IssueTransferAccount() }
        on(Endpoints.queryTransferAccount, in: group) { _ in QueryTransferAccount() }
        on(Endpoints.renewTransferAccount, in: group) { RenewTransferAccount(renewal: $0) }
        on(Endpoints.redeemTransferAccount, in: group) { RedeemTransferAccount(redemption: $0) }
        on(Endpoints.issueTransferKey, in: group) { IssueTransferKey(request: $0) }
        on(Endpoints.redeemTransferKey, in: group) { RedeemTransferKey(redemption: $0) }
        on(Endpoints.withdraw, in: group) { _ in Withdraw() }
        on(Endpoints.requestWithdrawal, in: group) { _ in RequestWithdrawal() }
        on(Endpoints.cancelWithdrawal, in: group) { _ in CancelWithdrawal() }
    }
}

extension ContractDoor {
    /// Every call of game servers, in one line each.
    func addGameServerRoutes(to group: RouterGroup<GatehouseContext>) {
        on(Endpoints.checkToken, in: group) { CheckToken(request: $0) }
        on(Endpoints.revocations, in: group) { ListRevocations(request: $0) }
        on(Endpoints.providerProfile, in: group) { ReadProviderProfile(request: $0) }
        on(Endpoints.confirmMigration, in: group, named: { _ in ("migrations", nil) }) { ConfirmMigration(request: $0) }
        on(Endpoints.lookUpMigrations, in: group) { LookUpMigrations(request: $0) }
        on(Endpoints.memberSessions, in: group) { ListMemberSessions(request: $0) }
        on(Endpoints.ban, in: group, named: { ($0.registeredBy, $0.reason) }) { BanMembers(request: $0) }
        on(Endpoints.releaseBan, in: group, named: { ($0.registeredBy, $0.reason) }) { ReleaseBans(users: $0.userIds) }
        on(Endpoints.registerGraceBan, in: group, named: { ($0.registeredBy, nil) }) { BeginGraceBan(request: $0) }
        on(Endpoints.releaseGraceBan, in: group, named: { ($0.registeredBy, $0.reason) }) {
            ReleaseGraceBan(user: $0.userId)
        }
        on(Endpoints.reportPayment, in: group, named: { _ in ("payments", nil) }) { RecordPayment(report: $0) }
        on(Endpoints.kickOut, in: group, named: { ($0.registeredBy, nil) }) {
            KickOut(user: $0.userId, message: $0.message)
        }
        on(Endpoints.endMemberSession, in: group, named: { ($0.registeredBy, nil) }) {
            EndMemberSession(session: $0.sessionId, of: $0.userId)
        }
    }
}

/// The discovery document of an app (OpenID Connect Discovery 1.0), so that other systems can take its access tokens as those of an OpenID
/// issuer. There is no page where people sign in, so it names none.
struct IssuerRoute: Sendable {
    static let path = "/v1/apps/{appId}/.well-known/openid-configuration"

    private struct Document: Encodable {
        let issuer: String
        let keys: String
        let responseTypes = ["id_token"]
        let subjectTypes = ["public"]
        let algorithms = ["ES256"]
        let claims = ["iss", "aud", "sub", "iat", "exp", "sid", "idp", "cnf"]

        enum CodingKeys: String, CodingKey {
            case issuer
            case keys = "jwks_uri"
            case responseTypes = "response_types_supported"
            case subjectTypes = "subject_types_supported"
            case algorithms = "id_token_signing_alg_values_supported"
            case claims = "claims_supported"
        }
    }

    let requests: RequestReader
    let issuer: TokenIssuer

    func add(to router: Router<GatehouseContext>) {
        router.getOnly(RouterPath(Self.path)) { request, context in
            requests.note(request, context)
            let app = try await requests.entry(context).app.id
            guard let name = issuer.name(of: app) else { throw HTTPError(.notFound) }
            let document = Document(issuer: name, keys: "\(name)/jwks.json")
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json", .cacheControl: "public, max-age=\(ReadKeys.cacheSeconds)",
                ], body: .init(byteBuffer: ByteBuffer(bytes: try JSONWriter.bytes(of: document))))
        }
    }
}

/// Receives the reports of identity providers, each in its provider's format.
struct ReportRoute: Sendable {
    let actions: Actions
    let requests: RequestReader
    let origins: PublicOrigins

    func add(to router: Router<GatehouseContext>) {
        let path = RouterPath(Endpoints.signal)
        router.post(path, use: answer)
        // Kakao may send a query. A person who asks Facebook about the state of a deletion also comes here.
        router.get(path) { request, context in
            let isReport = !context.isHead && request.headers[.authorization] != nil
            guard !isReport else { return try await answer(request, context) }
            _ = try await requests.context(of: request, context)
            return Self.json(["status": "received"])
        }
    }

    @Sendable private func answer(_ request: Request, _ context: GatehouseContext) async throws -> Response {
        var request = request
        requests.note(request, context)
        let callContext = try await requests.context(of: request, context)
        let body = try await RequestBody.collect(&request)
        let message = SignalReader.Message(
            body: Data(body.readableBytesView), query: request.uri.query ?? "",
            authorization: request.headers[.authorization])
        let provider = Provider(context.parameters.get("idp") ?? "")
        let actor = Actor(principal: .provider(provider), door: .provider)
        let kind = try await context.whileClientWaits {
            try await actions.run(ReceiveReport(message: message, provider: provider), by: actor, in: callContext)
        }
        let host = request.head.authority ?? ""
        let origin = ["https://\(host)", "http://\(host)"].lazy.compactMap { origins.origin($0) }.first?.text ?? ""
        return Self.json(kind.description.reports?.receipt?(message, "\(origin)\(request.uri.path)") ?? [:])
    }

    private static func json(_ members: [String: String]) -> Response {
        let body = (try? JSONWriter.bytes(of: members)) ?? []
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
