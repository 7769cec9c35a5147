/// The systems that players come from. Each is described in a file of `Sources`.
package enum LegacySourceKind: String, Sendable, CaseIterable, Codable {
    case firebase, playfab, nakama, gamebase, supabase, unity, eos, cognito, openid, csv

    package var description: LegacyDescription {
        switch self {
        case .firebase: .firebase
        case .supabase: .supabase
        case .unity: .unity
        case .eos: .eos
        case .cognito: .cognito
        case .openid: .openID
        case .nakama: .nakama
        case .gamebase: .gamebase
        case .playfab: .playFab
        case .csv: .csv
        }
    }
}
