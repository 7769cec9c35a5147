package import GatehouseSecurity
package import GatehouseWire

/// What an operator looks for in the list of members.
package struct MemberFilter: Sendable, Hashable {
    package var status: MemberStatus?
    /// Only members with an identity of this provider.
    package var has: Provider?
    /// Only members without one.
    package var lacks: Provider?
    /// The first moment of the registration.
    package var since: Moment?
    /// The moment before which the registration was.
    package var until: Moment?

    package init(
        status: MemberStatus? = nil, has: Provider? = nil, lacks: Provider? = nil, since: Moment? = nil,
        until: Moment? = nil
    ) {
        self.status = status
        self.has = has
        self.lacks = lacks
        self.since = since
        self.until = until
    }

    /// Whether members have to be looked at one by one.
    var selects: Bool { status != nil || has != nil || lacks != nil }
}
