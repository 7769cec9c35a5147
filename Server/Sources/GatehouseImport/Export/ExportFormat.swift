/// The systems for which an app's members can be exported.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// The neutral files, which `gatehouse import members` reads.
    case gatehouse
    case firebase, auth0, kratos
    case supabase = "supabase-sql"
    case nakama

    /// How the files of another system look; nil for the neutral files.
    package var target: ExportTarget? {
        switch self {
        case .gatehouse: return nil
        case .firebase: return .firebase
        case .auth0: return .auth0
        case .kratos: return .kratos
        case .supabase: return .supabase
        case .nakama: return .nakama
        }
    }

    /// What files of this format never have.
    package var never: [String] { target?.never ?? ExportTarget.neverAnywhere }

    /// How the names of all files of exports begin and end; between them is a number, or nothing.
    package static let fileNames: [(beginning: String, suffix: String)] =
        [("members-", ".jsonl"), ("ledger-", ".jsonl")]
        + allCases.compactMap(\.target).flatMap { target in
            [("\(target.name)-", target.suffix)] + target.companions.map { ($0.name, "") }
        }
}
