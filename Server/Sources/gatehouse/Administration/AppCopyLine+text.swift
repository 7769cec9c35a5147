import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

extension AppCopyLine {
    /// What was copied, or what was not and why.
    ///
    /// - Parameters:
    ///   - other: the app whose settings the new one has.
    ///   - new: the new app.
    func text(like other: String, for new: String) -> Terminal.Text {
        switch self {
        case .language(let language): "default language: \(language)"
        case .accountPolicy(let hasTransfers):
            """
            accounts: deletion, restoring, transfers (\(hasTransfers ? "on" : "off")), support, consent, time zone, \
            tickets
            """
        case .limits: "limits"
        case .provider(let provider, let secrets) where secrets.isEmpty:
            "\(provider), switched off: give it \(new)'s own client ids, and switch it on"
        case .provider(let provider, let secrets):
            """
            \(provider), switched off: give it \(new)'s own client ids and secrets (\(Self.list(secrets))), and switch \
            it on
            """
        case .banTemplates(let count): "ban texts: \(count)"
        case .replies(let count): "replies of support: \(count)"
        case .statusText: "text of the status"
        case .maintenanceTexts(let end):
            "texts of the maintenance that ended \(Words.time(end.milliseconds)), for the next one"
        case .redirects(let redirects):
            """
            redirects (\(Self.list(redirects))): they lead into \(other)'s game; `gatehouse app accounts \(new) \
            --redirect` sets its own
            """
        case .unlimited(let limits):
            "limits that \(other) does not have (\(Self.list(limits))): \(new) has the defaults"
        case .fakeProviders(let providers):
            "\(Self.list(providers.map(\.rawValue))): of the fake world, where everybody can be everybody"
        case .archivedTemplates(let count): "archived ban texts: \(count)"
        case .status(let status): "status (\(status.name)) and its text: \(new) is in service"
        case .maintenance(let end):
            "maintenance until \(Words.time(end.milliseconds)): it would keep \(new)'s players out"
        case .clientRules(let count): "rules by client: \(count), about the versions of \(other)'s game"
        case .testDevices(let count): "test devices: \(count), whose keys are of \(other)'s game"
        case .alertReceivers(let count): "receivers of alerts: \(count), whose addresses are secret"
        case .legacySources(let count): "systems that players come from: \(count), whose keys are secret"
        }
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
