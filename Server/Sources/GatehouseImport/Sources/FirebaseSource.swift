import GatehouseJSON
import GatehouseWire

/// Firebase Authentication: `auth:export` of its command as JSON or as a table, pages of `accounts:batchGet`, and the emulator's
/// `accounts.json`.
struct FirebaseSource: ImportSource {
    private let options: ConversionOptions

    init(_ options: ConversionOptions) { self.options = options }

    func form(of start: FileStart) throws(ConversionFailure) -> ImportForm? {
        if start.isEmpty(Self.list, nextPage: Self.nextPage, emptyPage: Self.emptyPage) {
            return ImportForm(name: "Firebase, JSON without players", framing: Self.framing)
        }
        if let users = start.elements(of: Self.list, nextPage: Self.nextPage, emptyPage: Self.emptyPage) {
            return Self.form(ofList: users)
        }
        guard let row = start.row(separator: UInt8(ascii: ",")) else { return nil }
        switch row.count {
        case FirebaseTable.columns:
            return FirebaseTable.form(columns: row.count, "Firebase CLI, table of 53 columns", .providersLeftOut)
        case FirebaseTable.oldColumns:
            guard options.acceptsOldTables else {
                throw ConversionFailure(
                    .oldTable,
                    "it is a table of Firebase's command before 15.19.0, which has lost players: export JSON, or say --accept-old-tables"
                )
            }
            return FirebaseTable.form(columns: row.count, "Firebase CLI before 15.19.0, table of 29 columns", .oldTable)
        default: return nil
        }
    }

    private static let (list, nextPage) = ("users", "nextPageToken")
    /// After the last player the API sends one more page, which may lack the list.
    private static let emptyPage = ElementReader.EmptyPage(
        name: "kind", value: "identitytoolkit#DownloadAccountResponse")
    private static let framing = ImportForm.Framing.list(list, nextPage: nextPage, emptyPage: emptyPage)

    /// The API says `lastLoginAt` where the command says `lastSignedInAt`, and more that the command leaves out.
    private static func form(ofList users: [SourceObject]) -> ImportForm? {
        guard users.isEmpty || users.contains(where: { $0.has("localId") }) else { return nil }
        let isAPI = users.contains { user in
            ["lastLoginAt", "validSince", "lastRefreshAt", "customAuth"].contains(where: user.has)
        }
        guard !isAPI else { return ImportForm(name: "Firebase API pages or emulator, JSON", framing: framing) }
        return ImportForm(
            name: "Firebase CLI, JSON", framing: framing, mayLackIdentities: true, notes: [.providersLeftOut])
    }

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        if case .row(let row) = record { return try FirebaseTable.convert(row, to: &draft) }
        let user = try record.object()
        try draft.setID(try user.text("localId"), at: "localId")
        guard try user.text("tenantId") == options.tenant else {
            throw RecordProblem(.otherTenant, at: "tenantId", "the player belongs to another tenant than --tenant says")
        }
        draft.registrationDate = try user.number("createdAt")
        draft.lastLoginDate = try user.number(user.has("lastLoginAt") ? "lastLoginAt" : "lastSignedInAt")
        draft.validSinceDate = try user.number("validSince", unit: 1_000)
        if try user.flag("disabled") { draft.add(ImportedBan(.permanent)) }
        try Self.drop(from: user, &draft)
        draft.keep("claims", try user.text("customAttributes").map(Self.claims))
        let identities = try user.objects("providerUserInfo")
        for identity in identities ?? [] { try Self.add(identity, to: &draft) }
        // A password or a phone explains an empty list. An e-mail address does not: Apple and others give one.
        let isExplained = user.value("passwordHash") != nil || user.value("phoneNumber") != nil
        if form.mayLackIdentities, identities?.isEmpty == true, !isExplained { draft.lose(.identities) }
        draft.ignoreOthers(in: user, than: Self.known)
    }

    private static let known: Set = [
        "localId", "tenantId", "createdAt", "lastLoginAt", "lastSignedInAt", "validSince", "disabled", "email",
        "emailVerified", "passwordHash", "salt", "version", "passwordUpdatedAt", "displayName", "photoUrl",
        "phoneNumber",
        "mfaInfo", "customAttributes", "providerUserInfo", "customAuth", "lastRefreshAt", "emailLinkSignin",
        "initialEmail",
    ]

    private static func drop(from user: SourceObject, _ draft: inout MemberDraft) throws(RecordProblem) {
        if try user.text("email") != nil { draft.drop(.email, isWayIn: true) }
        if try user.text("passwordHash") != nil { draft.drop(.password, isWayIn: true) }
        if try user.text("phoneNumber") != nil { draft.drop(.phone, isWayIn: true) }
        if try user.text("displayName") != nil { draft.drop(.name) }
        if try user.text("photoUrl") != nil { draft.drop(.picture) }
        if user.value("mfaInfo") != nil { draft.drop(.secondFactor) }
        if try user.flag("customAuth") { draft.loseWay() }
    }

    /// Custom claims are a JSON text.
    static func claims(_ text: String) -> StrictJSON.Value {
        (try? StrictJSON.parse(Array(text.utf8))) ?? .string(text)
    }

    private static func add(_ identity: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        guard let provider = try identity.text("providerId") else {
            throw RecordProblem(.missing, at: identity.place("providerId"), "it is missing")
        }
        let subject = try identity.text(identity.has("rawId") ? "rawId" : "federatedId")
        if try identity.text("email") != nil { draft.drop(.email) }
        if try identity.text("displayName") != nil { draft.drop(.name) }
        if try identity.text("photoUrl") != nil { draft.drop(.picture) }
        switch provider {
        case "password": draft.drop(.email, isWayIn: true)
        case "phone": draft.drop(.phone, isWayIn: true)
        default:
            guard let subject else {
                throw RecordProblem(.missing, at: identity.place("rawId"), "the identity has no id")
            }
            try add(provider, subject, at: identity.path, to: &draft)
        }
        draft.ignoreOthers(
            in: identity,
            than: [
                "providerId", "rawId", "federatedId", "email", "displayName", "photoUrl", "phoneNumber", "screenName",
            ])
    }

    /// The id that Firebase keeps of a Game Center player equals none that Game Center gives, and a player id of Play Games is no subject.
    static func add(
        _ provider: String, _ subject: String, at path: String, to draft: inout MemberDraft
    ) throws(RecordProblem) {
        guard ![SubjectForm.Name.gameCenter, SubjectForm.Name.playGames].contains(provider) else {
            return draft.addUnmatched(provider: provider, subject: subject, code: "notMatchable")
        }
        try draft.add(ImportedIdentity(provider: provider, subject: subject), at: path)
    }
}

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
