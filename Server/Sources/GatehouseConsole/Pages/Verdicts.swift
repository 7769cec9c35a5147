import GatehouseCore
import GatehouseWire

extension AppVerdict.State {
    /// The style of its badge.
    var badge: String { self == .todo ? "plain" : rawValue }
}

/// The page that shows what, or whom, a verdict concerns.
struct VerdictPage {
    /// Its name in the navigation.
    let section: String
    /// The address below the app's, or else below the console's.
    let path: String
    /// The least role of who may open it, in the app or on the server.
    var role = OperatorRole.viewer
    var isOfServer = false
}

extension AppVerdict {
    var page: VerdictPage? {
        switch kind {
        case .closed, .maintenance: VerdictPage(section: "launching", path: "launching")
        case .refused, .providerFails, .providersFail, .failures:
            VerdictPage(section: "refusals", path: "refusals?\(FormValues(refusals).encoded)")
        case .noProviders, .unknownProviders, .importMismatch: VerdictPage(section: "providers", path: "providers")
        case .slowDatabase, .fullDisk, .lateDeadlines, .lateJobs, .wrongClock, .lostNodes:
            VerdictPage(section: "health", path: "health", isOfServer: true)
        case .deadJobs, .serverDeadJobs: VerdictPage(section: "jobs", path: "jobs", isOfServer: true)
        case .noKey: VerdictPage(section: "signing-keys", path: "signing-keys", role: .owner)
        case .oldSecrets: VerdictPage(section: "secrets", path: "secrets", role: .owner)
        case .atRisk, .safe: VerdictPage(section: "transfer", path: "transfer")
        case .quiet, .providers, .nothingWaits, .keys: nil
        }
    }

    private var refusals: [String: String] {
        var fields = ["range": "2h", "group": kind == .providersFail ? "provider" : "code"]
        fields["idp"] = provider?.rawValue
        return fields
    }
}

extension Visit {
    /// A link to the page of a verdict; nil for a person who may not open it.
    func link(to verdict: AppVerdict) -> Link? {
        guard let page = verdict.page else { return nil }
        if page.isOfServer {
            return person.serverRole.map { _ in Link(words("nav.\(page.section)"), "\(Console.prefix)/\(page.path)") }
        }
        return may(page.role) ? Link(words("nav.\(page.section)"), address(page.path)) : nil
    }
}
