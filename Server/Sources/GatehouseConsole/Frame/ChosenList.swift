/// A list whose columns a person may choose. The choice is one of the person's preferences.
enum ChosenList: String, CaseIterable, Sendable {
    case members, bans, audit, jobs

    /// The keys of its headings, which are the names of its columns. The first is always shown.
    var columns: [String] {
        switch self {
        case .members:
            ["members.id", "members.state", "members.providers", "members.made", "members.last-login"]
        case .bans:
            [
                "members.id", "members.state", "bans.begun", "bans.ends", "bans.template", "bans.reason", "bans.by",
                "bans.released",
            ]
        case .audit:
            ["timeline.when", "audit.operator", "audit.action", "audit.target", "audit.changes", "deed.reason"]
        case .jobs:
            [
                "jobs.kind", "jobs.about", "jobs.app", "jobs.state", "jobs.created", "jobs.next", "jobs.error",
            ]
        }
    }
}
