extension ProviderConfiguration {
    /// The authority that assigns subjects, and says who has proven to be which: the kind, and for kinds without fixed addresses also the
    /// issuer, where its keys are, and the hosts that are asked.
    package var authority: [String] {
        let checks = partner?.checks ?? []
        let page = [partner?.page?.authorizationURL, partner?.page?.tokenURL].compactMap { $0 }
        let hosts = Set((checks.map(\.call.url) + page).map(Self.host)).sorted()
        // Which of the hosts names the player counts, too.
        let naming = checks.filter { $0.subject != nil }.map { Self.host($0.call.url) }
        return [kind.rawValue, openID?.issuer ?? "", openID?.keysURL ?? ""] + naming + [""] + hosts
    }

    /// Where the secrets are sent, and what proves that it is the right place. Secrets that were stored for one place are not sent to
    /// another.
    package var destinations: [String] {
        authority + [origin ?? "", openID?.revocationURL ?? "", partner?.page?.tokenURL ?? ""] + trustedAuthorities
    }

    /// Where consent is revoked: the scheme, host and port; nil for a provider without such a call.
    package var revocationHost: String? {
        let url = description.revocation.first?.url ?? openID?.issuer
        return url.map(Self.host)
    }

    /// Scheme, host and port of an address.
    package static func host(_ url: String) -> String {
        url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2).prefix(2).map { String($0) ?? "" }
            .joined(separator: "//")
    }
}
