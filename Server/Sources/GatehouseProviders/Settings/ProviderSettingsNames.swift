import GatehouseSecurity
package import GatehouseWire

/// The names in an operator's document. ``ProviderConfiguration`` has no place for the settings of another form, and would ignore
/// them: an operator is told instead.
package enum ProviderSettingsNames {
    /// - Throws: ``Refusal`` that names the setting.
    package static func check(_ document: JSONValue) throws {
        guard let members = document.objectValue?.filter({ $0.value != .null }) else { return }
        let named = members["kind"]?.stringValue
        guard let kind = named.map({ ProviderKind(rawValue: $0) }) ?? .openID else { return }
        let form = kind.description.settings
        func require(_ names: [String], _ forms: [ProviderSettingsForm], _ message: String) throws {
            guard !forms.contains(form), let name = names.first,
                names.contains(where: { members[$0] != nil })
            else { return }
            throw Refusal.parameter(name, "A provider of kind \(kind.rawValue) \(message).")
        }
        try require(["issuer", "keysURL"], [.openID], "has its own issuer and keys")
        try require(["clientAuthentication"], [.openID, .partner], "has its own way to authenticate clients")
        try require(["trustedCertificates"], [.openID, .partner, .gameCenter], "is reached as the system trusts it")
        try require(["checks"], [.partner], "has its own calls")
        try require(
            ["authorizationURL", "tokenURL"], [.partner], "has its own page, or its discovery document names it")
        try require(["reauthentication"], [.openID, .partner], "has its own way to ask anew")
        // Without its calls a partner is refused for those, which it needs first.
        guard form != .partner || members["checks"] != nil else { return }
        guard (members["authorizationURL"] == nil) == (members["tokenURL"] == nil) else {
            throw Refusal.parameter(
                "tokenURL", "A page needs both: where players log in, and where the server exchanges the codes.")
        }
    }
}
