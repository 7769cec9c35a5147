package import GatehouseWire

/// A ban of the old system.
package struct ImportedBan: Equatable, Sendable {
    package var type: BanType
    package var beginDate: Int64?
    /// Present for a temporary ban, and for no other.
    package var endDate: Int64?
    package var reason: String?

    package init(_ type: BanType, beginDate: Int64? = nil, endDate: Int64? = nil, reason: String? = nil) {
        self.type = type
        self.beginDate = beginDate
        self.endDate = endDate
        self.reason = reason
    }

    /// A ban up to a date. Systems without permanent bans set an end that nobody awaits: PlayFab adds 20 years, and an operator of
    /// Supabase types a century.
    ///
    /// - Parameter begin: when the ban began, if that is known.
    /// - Parameter reference: a date of about that time otherwise.
    package static func upTo(_ end: Int64, begin: Int64?, reference: Int64?, reason: String? = nil) -> ImportedBan {
        let fifteenYears: Int64 = 15 * 365 * 86_400_000
        guard let start = begin ?? reference, end > start, end - start > fifteenYears else {
            return ImportedBan(.temporary, beginDate: begin, endDate: end, reason: reason)
        }
        return ImportedBan(.permanent, beginDate: begin, reason: reason)
    }
}
