/// What only the operator knows about the files.
package struct ConversionOptions: Sendable {
    /// Whether tables of Firebase's command before 15.19.0 are read all the same.
    package var acceptsOldTables = false
    /// The tenant whose players are taken; nil for those without one.
    package var tenant: String?
    /// The columns of Gamebase's table by the name of what they hold. A column is its name or its number from 1.
    package var columns: [String: String] = [:]
    /// How many minutes the times without a zone are ahead of UTC; nil if such times are refused.
    package var zoneMinutes: Int?
    /// The codes of Gamebase's providers whose `authKey` is the provider's own id, which the operator has tried.
    package var authKeysAreSubjects: Set<String> = []
    /// When the files were made.
    package var takenDate: Int64?

    package init() {}
}
