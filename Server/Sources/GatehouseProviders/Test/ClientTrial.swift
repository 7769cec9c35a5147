import Crypto
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// Asks the provider's token endpoint for the tokens of a made-up code, and reads from the refusal whether the provider knows the client.
///
/// A refusal alone does not tell: a provider may look at the code before it looks at the secret. So the same request is made with a
/// made-up secret too. The secret is right where the provider refuses the made-up one in another way.
struct ClientTrial: Sendable {
    let client: ProviderClient
    let login: CodeLogin
    let moment: Moment

    static let code = ProviderToken("gatehouse-test")

    /// How the provider has refused a request.
    struct Refusal: Hashable, Sendable {
        let status: Int
        /// RFC 6749's word; empty if there is none.
        let error: String
        /// Every member of the answer that is the same for the same cause.
        let members: [String: String]
        let givesTokens: Bool

        /// Whether the client is refused, and not the code.
        func isOfClient(_ phrases: [String]) -> Bool {
            status == 401 || ["invalid_client", "unauthorized_client"].contains(error)
                || members.values.contains { text in phrases.contains { text.begins(with: $0) } }
        }
    }

    /// - Throws: ``IdentityFailure``.
    func finding() async throws -> ProviderFinding {
        let real = try await refusal(of: client)
        if real.givesTokens {
            return .wrong(
                "client.accepts-anything", "browser logins: the provider gives tokens for a code that nobody has issued"
            )
        }
        if real.error == "redirect_uri_mismatch" {
            let callback = login.redirectUri ?? ""
            return .wrong(
                "client.callback", "browser logins: the provider does not know the callback \(callback)",
                ["callback": callback])
        }
        if real.isOfClient(client.description.oddities.clientErrors) { return try await refused(real) }
        if ["server_error", "temporarily_unavailable"].contains(real.error) { throw IdentityFailure.unavailable }
        guard let control = client.withMadeUpSecret() ?? client.withMadeUpID() else {
            return .unknown("client.unknown", "browser logins: whether the provider knows the client can't be known")
        }
        guard try await refusal(of: control) != real else {
            let said = real.error.isEmpty ? String(real.status) : real.error
            guard !client.signsAssertions else {
                return .unknown(
                    "client.assertion-not-looked-at",
                    "browser logins: whether the private key is right can't be known, because the provider refuses a made-up one in the "
                        + "same way (\(said))", ["error": said])
            }
            return .unknown(
                "client.not-looked-at",
                "browser logins: whether the secret is right can't be known, because the provider refuses a made-up one in the "
                    + "same way (\(said))", ["error": said])
        }
        return .fine("client.fine", "browser logins: the provider knows the client")
    }

    /// The provider refuses the client. A made-up client id shows which half is wrong, where the provider says it in another way.
    private func refused(_ real: Refusal) async throws -> ProviderFinding {
        let isKey = client.description.oddities.clientSecret != nil
        let stranger = try? await client.withMadeUpID().asyncMap { try await refusal(of: $0) }
        let guess = try? await client.withMadeUpSecret().asyncMap { try await refusal(of: $0) }
        if let stranger, let guess, stranger != guess {
            if real == guess, client.signsAssertions {
                return .wrong(
                    "client.assertion-wrong",
                    "browser logins: the provider knows the client id, and refuses the private key or its key id")
            }
            if real == guess {
                return .wrong(
                    "client.secret-wrong", "browser logins: the provider knows the client id, and refuses the secret")
            }
            if real == stranger {
                return .wrong("client.id-wrong", "browser logins: the provider does not know the client id")
            }
        }
        guard !isKey else {
            return .wrong(
                "client.key-refused",
                "browser logins: the provider refuses the app's client id, or the team, the key id or the key that signs its secret"
            )
        }
        guard !client.signsAssertions else {
            return .wrong(
                "client.assertion-refused",
                "browser logins: the provider refuses the app's client id, private key, key id or callback")
        }
        return .wrong(
            "client.refused", "browser logins: the provider refuses the app's client id, secret or callback")
    }

    private func refusal(of client: ProviderClient) async throws -> Refusal {
        let request = try await CodeExchange(client: client).request(for: Self.code, of: login, at: moment)
        let response = try await client.fetch(request)
        let isReadable = (try? StrictJSON.parse(response.body)) != nil
        guard [400, 401, 403, 404].contains(response.status) || ((200...299).contains(response.status) && isReadable)
        else {
            client.gateway.note(
                "it answers \(response.status)\(isReadable ? "" : " without JSON")", at: request.url, of: client.share)
            throw IdentityFailure.unavailable
        }
        return Self.refusal(response, of: client)
    }

    static func refusal(_ response: OutgoingResponse, of client: ProviderClient) -> Refusal {
        let answer = try? StrictJSON.parse(response.body)
        var members: [String: String] = [:]
        if let answer { collect(answer, at: "", of: client, into: &members) }
        let givesTokens =
            (200...299).contains(response.status)
            && (answer?["access_token"]?.string != nil || answer?["id_token"]?.string != nil)
        return Refusal(
            status: response.status, error: answer?["error"]?.string ?? "", members: members, givesTokens: givesTokens)
    }

    /// Leaves out what differs with every answer, such as times and ids of traces, and what repeats the request.
    private static func collect(
        _ value: StrictJSON.Value, at path: String, of client: ProviderClient, into members: inout [String: String]
    ) {
        guard path.utf8.count < 200, members.count < 50 else { return }
        switch value {
        case .object(let children):
            for (name, child) in children {
                guard
                    !["trace", "time", "request_id", "correlation"].contains(where: { name.lowercased().has($0) })
                else { continue }
                collect(child, at: "\(path).\(name)", of: client, into: &members)
            }
        case .string(let text):
            // A trace may stand in the words as well, as with Microsoft.
            let first = text.parts(at: "\r").first ?? ""
            members[path] = String(first.prefix(200)).replacing(client.clientIds.first ?? "-", with: "…")
        case .integer(let number): members[path] = String(number)
        case .bool(let flag): members[path] = String(flag)
        default: break
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension ProviderClient {
    private static let madeUp = "gatehouse-test-made-up"

    /// Whether the client authenticates with a key of its own, and not with a secret.
    var signsAssertions: Bool {
        guard secrets.clientKey != nil else { return false }
        return configuration.clientAuthentication.map { $0 == .privateKeyJWT } ?? true
    }

    /// The same client with a secret that nobody has issued; nil for one without a secret.
    func withMadeUpSecret() -> ProviderClient? {
        var secrets = secrets
        if let key = secrets.appleKey, description.oddities.clientSecret != nil {
            secrets.appleKey = .init(
                teamId: key.teamId, keyId: key.keyId,
                privateKey: ProviderToken(P256.Signing.PrivateKey().pemRepresentation))
        } else if secrets.clientSecret != nil || secrets.clientKey != nil {
            if secrets.clientSecret != nil { secrets.clientSecret = ProviderToken(Self.madeUp) }
            if let key = secrets.clientKey {
                secrets.clientKey = .init(
                    keyId: key.keyId, privateKey: ProviderToken(P256.Signing.PrivateKey().pemRepresentation))
            }
        } else {
            return nil
        }
        return replacing(secrets, clientIds: clientIds)
    }

    /// The same client under an id that the provider has not given.
    func withMadeUpID() -> ProviderClient? { replacing(secrets, clientIds: [Self.madeUp]) }

    /// The same client with other values in the calls that its checks make; nil where they hold no secret.
    func withMadeUpCallSecrets() -> ProviderClient? {
        guard let call = description.checks.first?.call else { return nil }
        var secrets = secrets
        let names = (secrets.values ?? [:]).keys.filter { call.mentions($0) }
        let takesSecret = call.mentions("clientSecret") && secrets.clientSecret != nil
        guard takesSecret || !names.isEmpty else { return nil }
        if takesSecret { secrets.clientSecret = ProviderToken(Self.madeUp) }
        for name in names { secrets.values?[name] = ProviderToken(Self.madeUp) }
        return replacing(secrets, clientIds: clientIds)
    }
}
