/// How another system takes members: what a file of theirs is made of, and an entry for a member.
package struct ExportTarget: Sendable {
    /// The beginning of the files' names, before their numbers.
    let name: String
    let suffix: String
    /// What stands before the first entry of a file, between two, and after the last.
    let begin: String
    let separator: String
    let end: String
    /// How many entries and bytes a file has at most.
    let entries: Int
    let bytes: Int
    /// Files that the target needs beside those of the members.
    var companions: [(name: String, text: String)] = []
    /// What the target never takes.
    package let never: [String]
    /// The entry of a member.
    let entry: @Sendable (ExportedPlayer, _ totals: inout ExportTotals) -> [UInt8]

    /// What no target takes.
    static let neverAnywhere = [
        "Sessions: every player logs in again.",
        "Secrets: client secrets, tokens of providers, keys, transfer accounts and hashes of passwords are never exported.",
        "E-mail addresses, names and pictures: Gatehouse has none but what providers have told, which is not exported.",
        "Operators' notes, refusals of calls, and the history of members (for the neutral files: --with-history).",
    ]
}
