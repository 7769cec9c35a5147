extension LegacyDescription {
    /// A table of players from anywhere: only ids of devices can be shown.
    static let csv = LegacyDescription(needs: [])
}
