package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Who looks at an operator's action, where, and when.
package struct OperatorView: Sendable {
    let view: Viewpoint
    let actor: Actor
    /// Opens secrets, because an action may depend on which of them are set.
    let vault: KeyVault
    /// The languages for which every form has a field, where players read a text.
    let formLanguages: [String]

    package init(view: Viewpoint, actor: Actor, services: Services, formLanguages: [String] = []) {
        self.view = view
        self.actor = actor
        vault = services.vault
        self.formLanguages = formLanguages
    }

    /// What the operator sees whose action runs.
    init(of work: Work, formLanguages: [String] = []) {
        self.init(view: work.view, actor: work.actor, services: work.services, formLanguages: formLanguages)
    }

    var app: AppID { view.app.id }
    package var moment: Moment { view.moment }
    package var role: OperatorRole { actor.knownRole }

    /// A member of the app, with what holds it.
    ///
    /// - Throws: ``GatehouseWire/ErrorCode/authNotExistMember`` for an unknown one.
    func account(of user: UserID, in tx: Reader) throws -> Account {
        try MemberRules.known(user, app: app, in: tx)
    }

    /// The record of an earlier action, if the operator may see it; nil without an id.
    func earlier(_ id: String?, in tx: Reader) throws -> DeedRecord? {
        guard let id, id.utf8.count <= 64, let record = try DeedQueries.find(id, in: tx), record.app == app,
            DeedRules.maySee(record, actor)
        else { return nil }
        return record
    }
}
