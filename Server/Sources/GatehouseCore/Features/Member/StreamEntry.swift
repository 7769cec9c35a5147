package import GatehouseSecurity

/// Something that happened to a member or that was written about it, as one list of everything has it.
package enum StreamEntry: Sendable, Hashable {
    case event(LedgerEntry)
    case refusal(RefusedCall)
    case note(MemberNote)

    /// Ids of all sources are made in the same way, and sort in chronological order.
    package var id: String {
        switch self {
        case .event(let entry): entry.id
        case .refusal(let call): call.id
        case .note(let note): note.id
        }
    }

    package var date: Moment {
        switch self {
        case .event(let entry): Moment(milliseconds: entry.date)
        case .refusal(let call): call.date
        case .note(let note): note.date
        }
    }

    /// Nil for an event that a later version has added.
    package var kind: TimelineKind? {
        switch self {
        case .event(let entry): TimelineKind(of: entry.event)
        case .refusal(let call): call.isConflict ? .conflicts : .refusals
        case .note: .notes
        }
    }
}
