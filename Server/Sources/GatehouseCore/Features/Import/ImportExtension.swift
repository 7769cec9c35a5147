import GatehouseImport
import GatehouseSecurity

/// What a later file adds to a member that an earlier one has brought.
struct ImportExtension: Sendable {
    enum BanStep: Sendable {
        case begin(ImportedBan)
        /// The imported ban gets another end.
        case change(id: String, end: Moment?)
        case lift(id: String)
    }

    enum WithdrawalStep: Sendable {
        case request(Moment)
        case cancel
    }

    /// The member as it was read. It is changed only if it is still so.
    let account: Account
    var legacy: LegacyMember
    var identities: [ImportRecord.Identity] = []
    var devices: [ImportRecord.Device] = []
    var ban: BanStep?
    /// Bans that are over.
    var pastBans: [ImportedBan] = []
    var withdrawal: WithdrawalStep?

    /// Whether something is written beside the record's digest.
    var changesMember: Bool {
        !(identities.isEmpty && devices.isEmpty && pastBans.isEmpty) || ban != nil || withdrawal != nil
    }
}
