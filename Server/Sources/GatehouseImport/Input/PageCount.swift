/// How many pages of a list were read, and how many of them name another that follows.
struct PageCount: Equatable {
    private(set) var followed = 0
    private(set) var last = 0

    mutating func add(isFollowed: Bool) { if isFollowed { followed += 1 } else { last += 1 } }

    mutating func add(_ other: PageCount) {
        followed += other.followed
        last += other.last
    }

    /// Whether no page is the last one. The order of files says nothing: `page-10` stands before `page-9`.
    var isMissingLast: Bool { followed > 0 && last == 0 }
}
