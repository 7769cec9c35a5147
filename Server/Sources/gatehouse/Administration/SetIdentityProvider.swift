import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseServer
import GatehouseWire

struct SetIdentityProvider: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Add or change an identity provider, and enable it.",
        discussion: """
            Without a client id a provider can't be enabled: tokens for other apps would be let in. Secrets are read from \
            files (- is standard input), kept encrypted, and stay as they are where none is given. All other settings are those \
            of this call: one that is not given is taken away, and the answer says what was replaced.
            """)

    @OptionGroup var app: AppArguments
    @Argument(help: "Its name, such as google, appleid, iosgamecenter, line or a name of your own.") var idp: String
    @Option(help: "A JSON file with `settings` and `secrets`; flags win over it.") var file: String?
    @Option(help: ArgumentHelp("What it is. Default: by its name.", valueName: kinds)) var kind: String?
    @Option(help: "A client id that tokens may be issued for; for Game Center a bundle id. May be given several times.")
    var clientId: [String] = []
    @Option(help: "A file with the client secret.") var clientSecretFile: String?
    @Option(
        help: ArgumentHelp(
            "openid: how the client authenticates. Default: what the discovery document offers.", valueName: methods))
    var clientAuthentication: String?
    @Option(help: "openid: a PEM file with the client's private key (P-256 or RSA), for private_key_jwt.")
    var clientKeyFile: String?
    @Option(help: "openid: the id (kid) by which the provider knows that key.") var clientKeyId: String?
    @Option(help: "Apple: the team's id.") var appleTeam: String?
    @Option(help: "Apple: the id of the key for Sign in with Apple.") var appleKeyId: String?
    @Option(help: "Apple: the .p8 file of that key.") var appleKeyFile: String?
    @Option(help: "Kakao: a file with the admin key.") var adminKeyFile: String?
    @Option(help: "LINE: a region's channel, as REGION=CHANNEL. May be given several times.") var region: [String] = []
    @Option(help: "LINE: a region's secret, as REGION=FILE. May be given several times.") var regionSecretFile:
        [String] =
            []
    @Option(help: "What makes a subject unique at the provider, such as an Apple team. It can't be changed later.")
    var namespace: String?
    @Option(help: "openid: the issuer, exactly as ID tokens name it.") var issuer: String?
    @Option(help: "openid: where the keys are, if no discovery document tells.") var keysUrl: String?
    @Option(
        help: """
            openid: what ID tokens may be signed with, RS256, ES256 or EdDSA; may be given several times. Default: what the \
            discovery document names, or RS256
            """)
    var algorithm: [String] = []
    @Option(help: "openid: where tokens are revoked (RFC 7009), if no discovery document tells.") var revocationUrl:
        String?
    @Option(
        help: """
            A PEM file. iosgamecenter: the root of its signers' certificates, and what lies between. openid and partner: \
            private authorities that the provider's HTTPS may lead to, beside the system's.
            """)
    var trustedCertificates: String?
    @Option(help: "iosgamecenter: team or game, the kind of player ids. Default: team") var gameCenterKind: String?
    @Flag(help: "iosgamecenter: accept signatures of Apple's sandbox.") var acceptSandbox = false
    @Option(help: "What browser logins ask for; may be given several times. Default: the kind's own.") var scope:
        [String] =
            []
    @Option(help: "The callback that the provider knows, where it is not this server's own.") var callbackUrl: String?
    @Option(
        help:
            "What counts where the game's call gives nothing, as JSON; docs/providers.md has the keys of each provider."
    )
    var additionalInfo: String?
    @Option(help: "partner: the page where players log in, if it has one.") var authorizationUrl: String?
    @Option(help: "partner: where the server exchanges that page's codes.") var tokenUrl: String?
    @Option(
        help: """
            openid and partner: what makes the page ask for an account and its password anew, as NAME=VALUE; may be given \
            several times. Default: prompt=login for openid, and none for a partner
            """)
    var reauthentication: [String] = []
    @Flag(
        inversion: .prefixedNo,
        help: """
            Keep profile and access token, encrypted, for the game's server to ask for. With --no-keep-profile what was kept is \
            deleted; a later set without either leaves that as it is. Default for a new provider: keep
            """)
    var keepProfile: Bool?
    @Flag(help: "Another issuer or kind knows the same persons by the same subjects: its players keep their accounts.")
    var samePersons = false
    @Flag(help: "Accept access tokens of which the provider can't say for whom they were issued.")
    var acceptUnboundTokens = false
    @Option(help: "Development: where a fake world stands for the provider, such as http://127.0.0.1:9090.")
    var fakeWorld: String?

    private static let methods = ClientAuthenticationMethod.allCases.map(\.rawValue).joined(separator: "|")
    private static let kinds = ProviderKind.allCases.map(\.rawValue).joined(separator: "|")

    func run() async throws {
        let provider = Provider(idp)
        let document = try file.map(Self.document)
        var settings = try members(document?["settings"])
        try flags(for: provider, into: &settings)
        let secrets = try secrets(from: document?["secrets"])
        let all = settings
        let (app, old, new) = try await app.open { administration, app in
            let old = try await administration.run(ReadApp(), in: app).providers[provider]
            let change = try SaveIdentityProvider(
                provider: provider, settings: .object(all), secrets: secrets, samePersons: samePersons)
            try await administration.run(change, in: app)
            return (app, old, try await administration.run(ReadApp(), in: app).providers[provider])
        }
        let output = self.app.output
        output.done("\(app) has \(idp)")
        guard let old, let new else { return }
        for line in try Self.differences(from: old, to: new) { output.done("  \(line)") }
        output.done("  secrets: \(secrets == nil ? "as they were" : "replaced")")
    }

    /// What a call has replaced, with a line for each setting.
    private static func differences(
        from old: ProviderConfiguration, to new: ProviderConfiguration
    ) throws -> [String] {
        func texts(_ configuration: ProviderConfiguration) throws -> [String: String] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let members = try JSONDecoder().decode([String: JSONValue].self, from: encoder.encode(configuration))
            return try members.mapValues { String(decoding: try encoder.encode($0), as: UTF8.self) }
        }
        let (old, new) = (try texts(old), try texts(new))
        return Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
            "\(name): \(new[name] ?? "none"), before \(old[name] ?? "none")"
        }
    }

    private func flags(for provider: Provider, into settings: inout [String: JSONValue]) throws {
        func set(_ name: String, _ value: String?) { if let value { settings[name] = .string(value) } }
        func set(_ name: String, _ values: [String]) {
            if !values.isEmpty { settings[name] = .array(values.map { .string($0) }) }
        }
        if let kind {
            guard ProviderKind(rawValue: kind) != nil else {
                throw ValidationError("There is no kind \(kind): there are \(Self.kinds).")
            }
            set("kind", kind)
        } else if settings["kind"] == nil {
            settings["kind"] = .string(ProviderKind(standardFor: provider).rawValue)
        }
        set("clientIds", clientId)
        set("namespace", namespace)
        set("issuer", issuer)
        set("keysURL", keysUrl)
        set("algorithms", algorithm)
        set("revocationURL", revocationUrl)
        set("authorizationURL", authorizationUrl)
        set("tokenURL", tokenUrl)
        if !reauthentication.isEmpty {
            settings["reauthentication"] = .object(try Self.pairs(reauthentication).mapValues { .string($0) })
        }
        if let clientAuthentication {
            guard ClientAuthenticationMethod(rawValue: clientAuthentication) != nil else {
                throw ValidationError("There is no \(clientAuthentication): there are \(Self.methods).")
            }
            set("clientAuthentication", clientAuthentication)
        }
        set("gameCenterKind", gameCenterKind)
        set("scopes", scope)
        set("callbackURL", callbackUrl)
        set("origin", fakeWorld)
        if let trustedCertificates {
            // A file without certificates is refused by the validation, and not treated as absent.
            let certificates = Self.certificates(try OpenFile.text(of: trustedCertificates))
            settings["trustedCertificates"] = .array(certificates.map { .string($0) })
        }
        if !region.isEmpty {
            let regions = try Self.pairs(region).mapValues { JSONValue.object(["clientIds": [.string($0)]]) }
            settings["regions"] = .object(regions)
        }
        if let additionalInfo {
            settings["additionalInfo"] = .object(try members(Self.json(Data(additionalInfo.utf8), "--additional-info")))
        }
        if acceptSandbox { settings["acceptsSandbox"] = true }
        if let keepProfile { settings["keepsProfile"] = .bool(keepProfile) }
        if acceptUnboundTokens { settings["acceptsUnboundTokens"] = true }
    }

    /// Nil keeps the existing secrets.
    private func secrets(from document: JSONValue?) throws -> JSONValue? {
        var secrets = try members(document)
        if let clientSecretFile { secrets["clientSecret"] = .string(try OpenFile.text(of: clientSecretFile)) }
        if let clientKeyFile {
            var key: [String: JSONValue] = ["privateKey": .string(try OpenFile.text(of: clientKeyFile))]
            if let clientKeyId { key["keyId"] = .string(clientKeyId) }
            secrets["clientKey"] = .object(key)
        } else if clientKeyId != nil {
            throw ValidationError("--client-key-id goes with --client-key-file.")
        }
        if let adminKeyFile { secrets["adminKey"] = .string(try OpenFile.text(of: adminKeyFile)) }
        if !regionSecretFile.isEmpty {
            secrets["regions"] = .object(
                try Self.pairs(regionSecretFile).mapValues { .string(try OpenFile.text(of: $0)) })
        }
        if appleTeam != nil || appleKeyId != nil || appleKeyFile != nil {
            guard let appleTeam, let appleKeyId, let appleKeyFile else {
                throw ValidationError("--apple-team, --apple-key-id and --apple-key-file go together.")
            }
            secrets["appleKey"] = [
                "teamId": .string(appleTeam), "keyId": .string(appleKeyId),
                "privateKey": .string(try OpenFile.text(of: appleKeyFile)),
            ]
        }
        return secrets.isEmpty ? nil : .object(secrets)
    }

    private func members(_ value: JSONValue?) throws -> [String: JSONValue] {
        guard let value else { return [:] }
        guard case .object(let members) = value else { throw ValidationError("A JSON object is needed.") }
        return members
    }

    private static func document(_ path: String) throws -> [String: JSONValue] {
        guard case .object(let members) = try json(Data(try OpenFile.text(of: path).utf8), path) else {
            throw ValidationError("\(path) is no JSON object.")
        }
        return members
    }

    private static func json(_ data: Data, _ name: String) throws -> JSONValue {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw ValidationError("\(name) is no JSON.")
        }
        return value
    }

    private static func pairs(_ texts: [String]) throws -> [String: String] {
        var pairs: [String: String] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("\(text) is not NAME=VALUE.") }
            pairs[parts[0]] = parts[1]
        }
        return pairs
    }

    private static func certificates(_ pem: String) -> [String] {
        let end = "-----END CERTIFICATE-----"
        return pem.components(separatedBy: end).dropLast()
            .map { $0.trimmingWhitespace() + "\n" + end }
    }
}
