import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Deletes the members that an import has brought and that nobody has used or changed since, a later file of the source among them: what
/// that file has said would be lost. Members who came before the file keep their legacy ids.
package struct UndoImport: Action {
    package static let permission = Permission.administer

    /// Why a member stays, in a word for programs.
    package enum Code: String, Sendable, CaseIterable {
        case claimed, used, changed, changedByFile, otherSource

        /// What it means, for the operator.
        package var message: String {
            switch self {
            case .claimed: "a device has brought the player"
            case .used: "the player has logged in"
            case .changed: "a player or an operator has changed it"
            case .changedByFile: "a later file of the source has changed it"
            case .otherSource: "it has come from another source, too"
            }
        }
    }

    /// A member who stays.
    package struct Left: Sendable, Hashable {
        package let user: UserID
        package let code: Code
    }

    /// What was undone.
    package struct Result: Sendable, Hashable {
        package fileprivate(set) var deleted = 0
        package fileprivate(set) var left: [Left] = []

        /// How many members stay, by code.
        package var counts: [String: Int] {
            left.reduce(into: [:]) { counts, left in counts[left.code.rawValue, default: 0] += 1 }
        }
    }

    /// How many members one transaction deletes, because every login waits for it.
    private static let batch = 200
    /// Who has more entries since the import was changed by others than files.
    private static let entries = 200

    let id: String

    package init(id: String) {
        self.id = id
    }

    package var audited: AuditedRun? { AuditedRun(on: .imports) }

    package func perform(_ work: Work) async throws -> Result {
        let run = try await work.transact { change, tx in try ImportRules.beginUndo(id, change, in: tx) }
        var result = Result()
        var last: UserID?
        while true {
            let (next, deleted, left) = try await work.transact { [last] change, tx in
                try page(of: run, after: last, change, in: tx)
            }
            result.deleted += deleted
            result.left += left
            guard let next else { return result }
            last = next
        }
    }

    private func page(
        of run: ImportRun, after last: UserID?, _ change: Change, in tx: Transaction
    ) throws -> (last: UserID?, deleted: Int, left: [Left]) {
        let members = try LegacyQueries.members(
            of: run.id, app: change.app.id, after: last, limit: Self.batch, in: tx)
        var left: [Left] = []
        for member in members {
            guard let code = try undo(member, change, in: tx) else { continue }
            left.append(Left(user: member.user, code: code))
        }
        return (members.last?.user, members.count - left.count, left)
    }

    /// Deletes a member whom nobody has used or changed.
    ///
    /// - Returns: why the member stays; nil if it is deleted.
    private func undo(_ member: LegacyMember, _ change: Change, in tx: Transaction) throws -> Code? {
        let (app, user) = (change.app.id, member.user)
        guard member.claimedKey == nil else { return .claimed }
        guard try MemberQueries.lockUnused(user, since: member.importedAt, app: app, in: tx) else {
            return try reason(member, app, in: tx)
        }
        guard try LegacyQueries.members(of: user, app: app, in: tx).count == 1 else { return .otherSource }
        try MemberQueries.deleteIdentities(of: user, app: app, in: tx)
        try LegacyQueries.deleteAll(of: user, app: app, in: tx)
        try BanRules.deleteImported(of: user, app: app, in: tx)
        try NoteRules.deleteAll(of: user, app: app, in: tx)
        try MemberQueries.deleteMember(user, app: app, in: tx)
        try change.record(.importUndone(source: member.source), of: user, in: tx)
        return nil
    }

    private func reason(_ member: LegacyMember, _ app: AppID, in tx: Reader) throws -> Code {
        guard let account = try MemberQueries.account(member.user, app: app, in: tx) else { return .changed }
        guard account.lastLoginDate <= member.importedAt.milliseconds else { return .used }
        let entries = try LedgerQueries.entries(
            of: member.user, app: app, before: nil, since: member.importedAt, limit: Self.entries, in: tx)
        let name = ImportTask.name(of: member.source)
        // A file that brings no more than a device leaves no entry.
        let isByFile = entries.count < Self.entries && entries.allSatisfy { $0.origin.name == name }
        return isByFile ? .changedByFile : .changed
    }
}
