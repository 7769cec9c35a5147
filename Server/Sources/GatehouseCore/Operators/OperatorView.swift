package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Who looks at an operator's action, where, and when.
package struct OperatorView: Sendable {
    let view: Viewpoint
    let actor: Actor

    package init(view: Viewpoint, actor: Actor) {
        self.view = view
        self.actor = actor
    }

    var app: AppID { view.app.id }
    package var moment: Moment { view.moment }
    package var role: OperatorRole { actor.knownRole }

    /// A member of the app, with what holds it.
    ///
    /// - Throws: ``GatehouseWire/ErrorCode/authNotExistMember`` for an unknown one.
    func account(of user: UserID, in tx: Reader) throws -> Account {
        // way: ban 420
        try MemberRules.known(user, app: app, in: tx)
    }
}
