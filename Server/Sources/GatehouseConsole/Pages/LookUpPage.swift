import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// A provider's form after its issuer was looked up: what was typed, and what the provider says of itself.
struct LookedUpIssuer {
    var values: FormValues
    /// Nil if nothing was found.
    var document: Discovery.Document?
    /// What is wrong with the issuer.
    var problem: String?

    /// The field with what was typed or found. Secrets are not shown again.
    func filled(_ field: Field) -> Field {
        guard !field.name.begins(with: "secret.") else { return field }
        var field = field
        field.value = values[field.name] ?? ""
        if field.name == "set.issuer" { field.problem = problem }
        return field
    }

    /// The secrets that were typed, sealed until the form is sent.
    var kept: [Field] {
        values["sealed"].map { [Field("sealed", "", .hidden, value: $0)] } ?? []
    }
}

extension Visit {
    /// Fills the form of an OpenID Connect provider from its discovery document. Nothing is saved.
    func lookUpIssuer(_ sent: FormValues) async throws -> Response {
        let provider = try namedProvider()
        let form = try await providerForm(provider, kind: sent["kind"])
        guard form.kind == .openID else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        var sent = sent
        sent["provider"] = provider.rawValue
        var looked = LookedUpIssuer(values: try sealingSecrets(of: form, sent))
        let configuration = form.view?.configuration
        let issuer = looked.values["set.issuer"] ?? ""
        let found = try await run(
            LookUpIssuer(
                provider: provider, issuer: issuer,
                origin: looked.values["set.origin"] ?? configuration?.origin,
                trustedCertificates: form.certificates(in: looked.values)))
        switch found {
        case .found(let document): looked.fill(document)
        case .noAddress: looked.problem = words("look-up.no-address")
        case .notPublic: looked.problem = words("look-up.not-public")
        case .failed(let why): looked.problem = words("look-up.failed", ["why": why])
        }
        return try await providerPage(looked)
    }

    /// What a look-up has found that no field of the form has.
    @HTMLBuilder func found(_ document: Discovery.Document) -> HTML {
        p(.class("notice good"), .role("status")) { words("look-up.filled") }
        section(.class("card")) {
            Facts([
                Fact(words("look-up.page"), .code(document.authorizationURL ?? "–")),
                Fact(words("look-up.token"), .code(document.tokenURL ?? "–")),
                Fact(words("provider.set.keysURL"), .code(document.keysURL)),
                Fact(
                    words("provider.set.clientAuthentication"),
                    Cell(document.tokenAuthentication?.joined(separator: ", ") ?? "client_secret_basic")),
                Fact(
                    words("provider.set.algorithms"),
                    Cell(document.signingAlgorithms?.joined(separator: ", ") ?? "RS256")),
            ])
        }
    }
}

extension LookedUpIssuer {
    /// Fills in what there is a setting for. The login page and the token address are always read from the document.
    fileprivate mutating func fill(_ document: Discovery.Document) {
        self.document = document
        values["set.keysURL"] = document.keysURL
        values["set.revocationURL"] = document.revocationURL
        let known = OpenIDVerifier.supportedAlgorithms.filter { document.signingAlgorithms?.contains($0) ?? false }
        values["set.algorithms"] = known.isEmpty ? nil : known.joined(separator: "\n")
    }
}
