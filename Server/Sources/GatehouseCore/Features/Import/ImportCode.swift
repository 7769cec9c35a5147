/// What an import says of a record that did not come in, or not whole, in a word for programs. Records that can't be read have the codes of
/// `RecordProblem`.
package enum ImportCode: String, Sendable, Codable, CaseIterable {
    // MARK: The record is skipped

    /// A member with another id of this source has the record's identity.
    case held
    /// Two members have identities of the record.
    case heldByTwo
    /// Another record of the file has the same id, identity or device.
    case twiceInFile
    /// Another member has the user id that was to be kept.
    case userIDTaken = "userIdTaken"
    /// The record has no user id that could be kept.
    case noUserID = "noUserId"
    /// The member has withdrawn here since an earlier import.
    case erased
    /// The member has withdrawn in the old system.
    case withdrawn
    /// The operator has said so.
    case skipped

    // MARK: Something of the record is left out

    /// What the file says now is not written, because it was changed here.
    case changedHere
    /// A second identity of one provider.
    case leftOut
    /// No identity provider of the app stands for the identity's.
    case noProvider
    /// The operator leaves out the identities of its provider.
    case omitted
    /// The identity's id is not the one that its provider tells here.
    case notMatchable
    /// The identity has not the form that its provider's have here.
    case misfit
    /// The device's id is too simple for a credential, or stands there in two kinds.
    case weakDevice
    /// Another member has come with this device.
    case deviceHeld
    /// A ban that is over, and not known from when to when, or a second one at the same time.
    case lostBan

    // MARK: The record is rejected

    /// The database does not take the record.
    case refused

    /// What it means, for the operator.
    package var message: String {
        switch self {
        case .held: "another player of this source has its identity"
        case .heldByTwo: "its identities belong to two members here: decide with --resolve"
        case .twiceInFile: "another record of the file has the same id, identity or device"
        case .userIDTaken: "a member has its user id"
        case .noUserID: "it has no user id to keep"
        case .erased: "the player has withdrawn here"
        case .withdrawn: "the player has withdrawn in the old system"
        case .skipped: "the file of decisions says so"
        case .changedHere: "it was changed here, and stays so"
        case .leftOut: "a second identity of one provider: a login with it makes another member"
        case .noProvider: "no identity provider of the app stands for its provider"
        case .omitted: "identities of its provider are left out, as --map says"
        case .notMatchable: "no login gives this id"
        case .misfit: "the id has another form than the provider's"
        case .weakDevice: "the device's id is too simple, or stands there in two kinds"
        case .deviceHeld: "another player has come with this device"
        case .lostBan: "a ban that is over and has no dates, or a second one at the same time"
        case .refused: "the database does not take it"
        }
    }
}
