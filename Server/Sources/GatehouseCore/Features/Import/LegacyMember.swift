package import GatehouseSecurity
package import GatehouseWire

/// Who a member is in another system, by an import or by the exchange of a credential of that system.
package struct LegacyMember: Sendable, Hashable {
    package let source: String
    package let legacyID: String
    package let user: UserID
    /// The import that has brought the member; nil for one that an exchange has made.
    package var run: String?
    package var importedAt: Moment
    /// The digest of the record that was imported last.
    package var digest: [UInt8]?
    /// Credentials from before this moment are refused.
    package var validSince: Moment?
    /// Whether the file may have lost identities of the member. Then a token may bring them.
    package var hasLostIdentities = false
    package var claimedAt: Moment?
    /// The key of the device that has claimed the member.
    package var claimedKey: KeyThumbprint?

    package init(source: String, legacyID: String, user: UserID, run: String? = nil, importedAt: Moment) {
        self.source = source
        self.legacyID = legacyID
        self.user = user
        self.run = run
        self.importedAt = importedAt
    }
}
