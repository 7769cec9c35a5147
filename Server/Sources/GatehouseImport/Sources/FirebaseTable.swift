import GatehouseWire

/// The table of `firebase auth:export --format csv`, which has no line with names.
enum FirebaseTable {
    static let columns = 53
    /// Before version 15.19.0.
    static let oldColumns = 29

    /// The providers by the column of their id.
    private static let providers = [
        (7, "google.com"), (11, "facebook.com"), (15, "twitter.com"), (19, "github.com"), (28, "apple.com"),
        (32, "microsoft.com"), (36, "gc.apple.com"), (40, "playgames.google.com"), (44, "linkedin.com"),
        (48, "yahoo.com"),
    ]

    static func form(columns: Int, _ name: String, _ note: ConversionNote) -> ImportForm {
        ImportForm(
            name: name, framing: .table(separator: UInt8(ascii: ","), columns: columns, hasHeader: false),
            mayLackIdentities: true, notes: [note])
    }

    static func convert(_ row: [String], to draft: inout MemberDraft) throws(RecordProblem) {
        func text(_ column: Int) -> String? { column < row.count && !row[column].isEmpty ? row[column] : nil }
        try draft.setID(text(0), at: "column 1")
        draft.registrationDate = try date(text(23), at: "column 24")
        draft.lastLoginDate = try date(text(24), at: "column 25")
        switch text(26) {
        case nil, "false": break
        case "true": draft.add(ImportedBan(.permanent))
        default: throw RecordProblem(.unknownValue, at: "column 27", "it must be true or false")
        }
        if text(1) != nil { draft.drop(.email, isWayIn: true) }
        if text(3) != nil { draft.drop(.password, isWayIn: true) }
        if text(25) != nil { draft.drop(.phone, isWayIn: true) }
        if text(5) != nil { draft.drop(.name) }
        if text(6) != nil { draft.drop(.picture) }
        draft.keep("claims", text(27).map(FirebaseSource.claims))
        var hasProvider = false
        for (column, provider) in providers {
            guard let subject = text(column) else { continue }
            hasProvider = true
            if text(column + 1) != nil { draft.drop(.email) }
            if text(column + 2) != nil { draft.drop(.name) }
            if text(column + 3) != nil { draft.drop(.picture) }
            try FirebaseSource.add(provider, subject, at: "column \(column + 1)", to: &draft)
        }
        // A table says the same of a guest and of a player whose provider was left out.
        if !hasProvider, text(3) == nil, text(25) == nil { draft.lose(.identities) }
    }

    private static func date(_ text: String?, at path: String) throws(RecordProblem) -> Int64? {
        guard let text else { return nil }
        guard let date = Int64(text), (0...ImportLimits.lastDate).contains(date) else {
            throw RecordProblem(.badDate, at: path, "it must be a time in milliseconds between the years 1970 and 9999")
        }
        return date
    }
}
