public import Foundation

// The contract has moments as milliseconds since 1970, as Gamebase has. A game shows dates and waits for durations.

extension Date {
    fileprivate init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

extension Member {
    /// When the account began: ``registrationDate`` as a date.
    public var registeredAt: Date { Date(milliseconds: registrationDate) }
    /// When the player last logged in: ``lastLoginDate`` as a date.
    public var lastLoginAt: Date { Date(milliseconds: lastLoginDate) }
}

extension MemberSummary {
    /// When the other account began: ``registrationDate`` as a date.
    public var registeredAt: Date { Date(milliseconds: registrationDate) }
    /// When its player last logged in: ``lastLoginDate`` as a date.
    public var lastLoginAt: Date { Date(milliseconds: lastLoginDate) }
}

extension Mapping {
    /// When the identity was linked: ``registrationDate`` as a date.
    public var linkedAt: Date { Date(milliseconds: registrationDate) }
    /// When the provider reported that the player has revoked the consent: ``revokedDate`` as a date.
    public var revokedAt: Date? { revokedDate.map { Date(milliseconds: $0) } }
}

extension TemporaryWithdrawal {
    /// When the account is deleted unless the player cancels it: ``gracePeriodDate`` as a date.
    public var deletesAt: Date { Date(milliseconds: gracePeriodDate) }
}

extension GraceBan {
    /// When the ban begins unless the player has paid: ``gracePeriodDate`` as a date.
    public var bansAt: Date { Date(milliseconds: gracePeriodDate) }
}

extension Ban {
    /// When the ban began: ``beginDate`` as a date.
    public var beganAt: Date { Date(milliseconds: beginDate) }
    /// When the ban ends: ``endDate`` as a date; nil for a permanent ban.
    public var endsAt: Date? { endDate.map { Date(milliseconds: $0) } }
}

extension Maintenance {
    /// When the maintenance begins: ``beginDate`` as a date.
    public var beginsAt: Date { Date(milliseconds: beginDate) }
    /// When the maintenance ends: ``endDate`` as a date.
    public var endsAt: Date { Date(milliseconds: endDate) }
}

extension Standing {
    /// When ``reason`` ends: ``untilDate`` as a date; nil if it has no end.
    public var endsAt: Date? { untilDate.map { Date(milliseconds: $0) } }
}

extension DeviceSession {
    /// When the session began: ``beginDate`` as a date.
    public var beganAt: Date { Date(milliseconds: beginDate) }
    /// When the device last used the session: ``lastUsedDate`` as a date.
    public var lastUsedAt: Date { Date(milliseconds: lastUsedDate) }
}

extension ForcingMappingTicket {
    /// When the ticket expires: ``expirationDate`` as a date.
    public var expiresAt: Date { Date(milliseconds: expirationDate) }
}

extension MigrationTicket {
    /// When the ticket expires: ``expirationDate`` as a date.
    public var expiresAt: Date { Date(milliseconds: expirationDate) }
}

extension TransferAccount {
    /// When id and password were issued: ``registrationDate`` as a date.
    public var issuedAt: Date { Date(milliseconds: registrationDate) }
    /// When they expire: ``expiryDate`` as a date; nil if they don't.
    public var expiresAt: Date? { expiryDate.map { Date(milliseconds: $0) } }
}

extension TransferBlock {
    /// When the next attempt is allowed: ``blockEndDate`` as a date.
    public var endsAt: Date { Date(milliseconds: blockEndDate) }
}

extension TransferKey {
    /// When the key was issued: ``registrationDate`` as a date.
    public var issuedAt: Date { Date(milliseconds: registrationDate) }
    /// When the key expires: ``expiryDate`` as a date.
    public var expiresAt: Date { Date(milliseconds: expiryDate) }
}

extension AuthError {
    /// How long to wait before the next try, when the server says so: ``retryAfterSeconds`` as a duration.
    public var retryAfter: Duration? { retryAfterSeconds.map { .seconds($0) } }
}
