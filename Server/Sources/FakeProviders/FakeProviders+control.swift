import Crypto
public import GatehousePlatform
public import GatehouseWire
import Synchronization

// The control pages of the fake world: `/` for people, `/world/...` for programs.
extension FakeProviders {
    func control(_ request: Request) -> Response {
        let parts = request.path.split(separator: "/").dropFirst().map(String.init)
        switch (request.method, parts.first) {
        case ("GET", nil): return controlPage()
        case ("GET", "configuration"):
            let provider = Provider(parts.dropFirst().first ?? "")
            guard Self.names.contains(provider) else { return Self.failure(404, "not_found") }
            return Self.json(["settings": configuration(of: provider), "secrets": secrets(of: provider)])
        case ("POST", "sign-in"): return signIn(request)
        case ("POST", "forget-logins"): return forgetLogins()
        case ("POST", "fault"):
            let form = request.form
            let provider = Provider(form["provider"] ?? "")
            let words = form["fault"] ?? ""
            guard Self.names.contains(provider), words == "none" || FakeFault(words) != nil else {
                return Self.failure(400, "there are the faults none, \(FakeFault.words.joined(separator: ", "))")
            }
            set(FakeFault(words), for: provider)
            return Response(status: 303, headers: ["Location": "/"], body: Data())
        case ("POST", "rotate"):
            let provider = Provider(request.form["provider"] ?? "")
            guard Self.names.contains(provider), (try? rotateKey(of: provider)) != nil else {
                return Self.failure(400, "unknown provider")
            }
            return Response(status: 303, headers: ["Location": "/"], body: Data())
        default: return Self.failure(404, "not_found")
        }
    }

    /// Returns what a provider's own library on a device would return: `{"provider": "google", "player": "alice"}`.
    private func signIn(_ request: Request) -> Response {
        struct SignIn: Decodable {
            let provider: Provider
            let player: String
        }
        guard let sign = try? JSONDecoder().decode(SignIn.self, from: request.body), !sign.player.isEmpty,
            Self.names.contains(sign.provider), let credential = try? credential(sign.provider, for: sign.player),
            let body = try? JSONEncoder().encode(credential)
        else { return Self.failure(400, "invalid_request") }
        return Response(status: 200, body: body)
    }

    /// Providers that send reports.
    public static let signallers = FakeRow.all.filter { $0.report != nil }.map(\.provider)

    /// A report about a player, as the provider sends it to a server: headers and body of a POST.
    ///
    /// - Parameter kind: `consent-revoked` or `account-deleted`.
    public func signal(
        _ provider: Provider, _ kind: String, of player: String, claims changed: [String: JSONValue?] = [:],
        signedBy other: FakeSigningKey? = nil
    ) throws -> (headers: [String: String], body: Data) {
        let subject = subject(of: player, at: provider)
        guard let report = row(of: provider)?.report else { return ([:], Data()) }
        let (headers, body) = try report(
            self, FakeReport(kind: kind, player: player, subject: subject, changed: changed, other: other))
        return (headers, Data(body))
    }
}
