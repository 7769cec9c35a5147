/// What is never taken along, and counted instead.
package enum DroppedValue: String, Sendable, CaseIterable {
    case email, phone, name, picture, password, secondFactor, wallet, statistics
    /// A ban that is over, of which the file does not say when it ended.
    case endedBan
}
