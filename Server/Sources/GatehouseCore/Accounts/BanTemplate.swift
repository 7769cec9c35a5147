/// The texts for banned players, by language.
package struct BanTemplate: Sendable, Hashable {
    package let code: Int
    package let name: String
    package let texts: LocalizedText
    /// Whether no new ban can have it. Those of before still show its text.
    package var isArchived = false
}
