/// A system that players come from: how its files are recognised, and what of a record becomes a member. A new one is a file with this
/// protocol, a case of ``ImportKind`` and its place in ``ImportSources``.
protocol ImportSource {
    init(_ options: ConversionOptions) throws(ConversionFailure)

    /// Recognises a file by its first bytes; nil if it is none of this system's.
    func form(of start: FileStart) throws(ConversionFailure) -> ImportForm?

    /// The form of the lines that the rows of ``ImportKind/select`` are; nil for a system without such tables.
    var tables: ImportForm? { get }

    /// What a player's record becomes.
    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem)

    /// Adds what other files say of the player, of whom there may be nothing.
    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem)

    /// The players whom a line of a file with more details is about.
    func players(of detail: SourceObject) throws(RecordProblem) -> [String]
}

extension ImportSource {
    var tables: ImportForm? { nil }
    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem) {}
    func players(of detail: SourceObject) throws(RecordProblem) -> [String] { [] }
}

/// All systems.
enum ImportSources {
    static func source(
        _ kind: ImportKind, _ options: ConversionOptions
    ) throws(ConversionFailure) -> any ImportSource {
        switch kind {
        case .firebase: FirebaseSource(options)
        case .playfab: PlayFabSource(options)
        case .nakama: NakamaSource(options)
        case .gamebase: try GamebaseSource(options)
        case .supabase: SupabaseSource(options)
        case .unity: UnitySource(options)
        }
    }
}
