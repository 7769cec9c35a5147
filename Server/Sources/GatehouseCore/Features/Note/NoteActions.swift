package import GatehouseStorage
package import GatehouseWire

/// Lists the notes about a member: those that are pinned, and then the others, newest first.
package struct ListMemberNotes: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [MemberNote] {
        try NoteQueries.notes(of: user, app: view.app.id, limit: 200, in: tx)
    }
}
