import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What is counted is what has happened.
@Suite struct NumbersTests {
    /// What a test has seeded, day by day.
    private struct Seed {
        var new: [Int64] = []
        var returning: [Int64] = []
        var active: [Set<UserID>] = []

        /// The members of the last thirty days, at the end of each day.
        var activeMembers: [Int64] {
            active.indices.map { day in
                Int64(active[max(0, day - 29)...day].reduce(Set()) { $0.union($1) }.count)
            }
        }
    }

    private static func numbers(_ core: TestCore, days: Int, in zone: AppZone = .universal) async throws -> Numbers {
        try await core.services.writeCounts()
        return try await core.operator().run(
            .numbers(in: NumberRange(last: days, .day, until: core.clock.now, in: zone)))
    }

    @Test("A provider's logins are those of a week, and what it failed is beside it")
    func providerUse() async throws {
        try await TestCore.open(.sqlite) { core in
            func use() async throws -> ProviderUse {
                try await core.services.writeCounts()
                return try await core.operator().run(.providerUse)
            }
            let none = try await use()
            #expect(none.logins == 0 && none[.google].failurePercent == nil)
            let now = core.clock.now
            let tally = core.services.reporter.tally
            for metric in [Metric.newMember, .returningLogin, .returningLogin, .providerFailed] {
                tally.count(metric, .google, of: TestCore.app, at: now)
            }
            tally.count(.newMember, .guest, of: TestCore.app, at: now)
            for name in ["studio", "other-studio"] {
                tally.count(.newMember, Provider(name), of: TestCore.app, at: now)
            }
            tally.count(.newMember, .google, of: AppID("another"), at: now)
            let found = try await use()
            #expect(found.logins == 6 && found[.google].logins == 3)
            #expect(found[.google].failures == 1 && found[.google].failurePercent == 25)
            #expect(found[.guest].logins == 1 && found[.line] == ProviderUse.Amount())
            #expect(found[Provider("studio")].isShared && found[Provider("studio")].logins == 2)
            core.clock.advance(seconds: Int64(ProviderUse.days) * 86_400)
            #expect(try await use().logins == 0)
        }
    }

    @Test("A provider has players as soon as one has logged in with it, and after that is written down")
    func providerHasPlayers() async throws {
        try await TestCore.open(.sqlite) { core in
            let read = { (provider: Provider) in
                try await core.operator().run(ReadProviderHasPlayers(provider: provider))
            }
            #expect(try await !read(.naver))
            _ = try await core.player("alice")
            for _ in 0..<2 {
                #expect(try await read(.naver))
                #expect(try await !read(.google))
                try await core.services.writeCounts()
            }
        }
    }

    @Test("Of providers that are counted together, the one has players that has identities")
    func namedProviderHasPlayers() async throws {
        try await TestCore.open(.sqlite) { core in
            let (studio, other) = (Provider("studio"), Provider("other-studio"))
            let read = { (provider: Provider) in
                try await core.operator().run(ReadProviderHasPlayers(provider: provider))
            }
            core.services.reporter.tally.count(.newMember, studio, of: TestCore.app, at: core.clock.now)
            try await core.services.writeCounts()
            // A count alone is of one of them, and does not say of which.
            for provider in [studio, other] { #expect(try await !read(provider)) }
            let user = try await core.guest().user
            try await core.database.transact { tx in
                try tx.execute(
                    """
                    INSERT INTO identities (app_id, idp, namespace, subject, user_id, registered_at)
                    VALUES (\(TestCore.app), \(studio), '', 'alice', \(user), 0)
                    """)
            }
            #expect(try await read(studio))
            #expect(try await !read(other))
        }
    }

    @Test("Days that are summed up have the same sums as those of each day, and the period before has its own")
    func periods() async throws {
        try await TestCore.open(.sqlite) { core in
            for day in Int64(0)..<20 {
                for device in 0...day % 3 { _ = try await core.guest("phone-\(device)") }
                if day < 19 { core.clock.advance(days: 1) }
            }
            let (days, today, tally) = (14, core.clock.now.day, core.services.reporter.tally)
            for day in Int64(0)..<40 {
                let at = Moment(day: today - day)
                for _ in 0...day % 5 { tally.count(.newMember, .google, of: TestCore.app, at: at) }
                // A metric that only the period before has.
                if day >= days { tally.count(.banBegun, nil, of: TestCore.app, at: at) }
            }
            try await core.services.writeCounts()
            let range = NumberRange(last: days, .day, until: core.clock.now, in: .universal)
            let run = { (period: Int) in
                try await core.operator().run(.comparedNumbers(in: range, period: period))
            }
            let (daily, summed, uneven) = (try await run(1), try await run(7), try await run(4))
            for (one, other) in [(daily.numbers, summed.numbers), (daily.former, summed.former)] {
                #expect(one.range == other.range && one.since == other.since)
                #expect(one.series.keys == other.series.keys && one.activeMembers == other.activeMembers)
                #expect(one.series[.activeMember] == other.series[.activeMember])
                for metric in Metric.allCases {
                    let (single, sums) = (one.sums(metric), other.sums(metric))
                    #expect(single.last == sums.last, "\(metric)")
                    for week in [0..<7, 7..<14] {
                        #expect(single[week].reduce(0, +) == sums[week].reduce(0, +), "\(metric)")
                    }
                }
            }
            // Everything but the last day of a week stands at its first day.
            #expect(summed.numbers.sums(.newMember)[1..<7].allSatisfy { $0 == 0 })
            #expect(uneven.numbers.series == daily.numbers.series)
            #expect(daily.former.range == range.before && daily.numbers.range == range)
            for (range, found) in [(range, daily.numbers), (range.before, daily.former)] {
                let read = try await core.operator().run(.numbers(in: range))
                #expect(read.series == found.series && read.activeMembers == found.activeMembers)
            }
        }
    }

    @Test(
        "UI-OVER-3: the days of an app in Seoul begin at its midnight, and those of one in Kolkata at half an hour",
        arguments: zip(["Asia/Seoul", "Asia/Kolkata"], [Int64(9 * 3_600), Int64(5 * 3_600 + 1_800)]))
    func zones(name: String, offset: Int64) async throws {
        try await TestCore.open(.sqlite) { core in
            try await core.operator().run(SetAccountPolicy { $0.timeZone = name })
            let zone = AppZone(name: name)
            let today = core.clock.now.day
            // A minute before the zone's midnight.
            let evening = Moment(day: today + 2).adding(seconds: -offset - 60)
            core.clock.advance(seconds: (evening.milliseconds - core.clock.now.milliseconds) / 1_000)
            _ = try await core.guest("early")
            core.clock.advance(seconds: 120)
            for phone in ["early", "late"] { _ = try await core.guest(phone) }
            let numbers = try await Self.numbers(core, days: 2, in: zone)
            #expect(numbers.range.begin == Moment(day: today + 1))
            #expect(numbers.series[.newMember] == ["guest": [1, 1]])
            #expect(numbers.series[.activeMember] == ["guest": [1, 2]])
            #expect(numbers.activeMembers == [1, 2])
            #expect(numbers.since == Moment(day: today + 1))
            let hours = try await core.operator().run(
                .numbers(in: NumberRange(last: 24, .hour, until: core.clock.now, in: zone)))
            #expect(hours.total(.newMember) == 2 && hours.since == Moment(day: today + 1).adding(seconds: -offset))
            #expect(hours.range.index(of: core.clock.now) == 23)
        }
    }

    @Test("A time zone is one of the system's")
    func unknownZone() async throws {
        try await TestCore.open(.sqlite) { core in
            for name in ["", "Mars/Olympus", "Asia/Seoul\u{0}", String(repeating: "a", count: 10_000)] {
                await #expect(throws: Refusal.self, "\(name.prefix(20))") {
                    try await core.operator().run(SetAccountPolicy { $0.timeZone = name })
                }
            }
        }
    }

    @Test("UI-OVER-1 Numbers of forty days equal what was seeded, and the rows of members", arguments: Engine.available)
    func fortyDays(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            var seed = Seed()
            var known: Set<String> = []
            for day in 0..<40 {
                var (new, returning, active) = (Int64(0), Int64(0), Set<UserID>())
                // Each device plays every n-th day, and the last ones only once, so that members leave the thirty days, too.
                for device in 1...9 where (device < 8 ? day % device == 0 : day == device - 8) {
                    for _ in 0...(device % 2) {
                        let name = "phone-\(device)"
                        active.insert(try await core.guest(name).user)
                        if known.insert(name).inserted { new += 1 } else { returning += 1 }
                    }
                }
                seed.new.append(new)
                seed.returning.append(returning)
                seed.active.append(active)
                if day % 3 == 0 { try await core.services.writeCounts() }
                if day < 39 { core.clock.advance(days: 1) }
            }
            let numbers = try await Self.numbers(core, days: 40)
            #expect(numbers.series[.newMember] == ["guest": seed.new])
            #expect(numbers.series[.returningLogin] == ["guest": seed.returning])
            #expect(numbers.series[.activeMember] == ["guest": seed.active.map { Int64($0.count) }])
            #expect(numbers.activeMembers == seed.activeMembers)
            #expect(numbers.since == Moment(day: core.clock.now.day - 39))
            try await Self.expectRows(of: core, numbers)
        }
    }

    /// The same by queries over the members' own rows.
    private static func expectRows(of core: TestCore, _ numbers: Numbers) async throws {
        let (range, today) = (numbers.range, core.clock.now.day)
        let conditions: [SQL] =
            (0..<range.count).map { index in
                let end = range.bucket(index).adding(seconds: 86_400)
                return "registered_at >= \(range.bucket(index)) AND registered_at < \(end)"
            } + ["active_day = \(today)", "active_day > \(today - 30)"]
        let counts = try await core.database.read { tx in
            try conditions.map { condition in
                try tx.first("SELECT COUNT(*) FROM members WHERE \(condition)") { row in try row[0] as Int64 } ?? -1
            }
        }
        let expected = [numbers.sums(.activeMember).last, numbers.activeMembers.last].map { $0 ?? -1 }
        #expect(counts == numbers.sums(.newMember) + expected)
    }

    @Test("Two logins at once on a new day are one active member", arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            _ = try await core.guest()
            core.clock.advance(days: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await core.guest() } }
                try await group.waitForAll()
            }
            let numbers = try await Self.numbers(core, days: 2)
            #expect(numbers.sums(.activeMember) == [1, 1] && numbers.activeMembers == [1, 1])
            #expect(numbers.sums(.returningLogin) == [0, 8])
        }
    }

    @Test("A player who goes on with a session over midnight is active on both days, once")
    func goingOn() async throws {
        try await TestCore.open { core in
            let player = try await core.guest()
            core.clock.advance(days: 1)
            let holder = player.device.holder(of: player.login.session.refreshToken)
            for _ in 0..<2 { try await holder.run(RefreshSession()) }
            let numbers = try await Self.numbers(core, days: 2)
            #expect(numbers.sums(.activeMember) == [1, 1] && numbers.activeMembers == [1, 1])
        }
    }

    @Test("Refused logins are counted by code, and a repeated call counts once")
    func refusals() async throws {
        try await TestCore.open { core in
            let user = try await core.device("phone").logIn(once: "key").user
            _ = try await core.device("phone").logIn(once: "key")
            try await core.ban([user])
            for _ in 0..<3 { await #expect(throws: Refusal.self) { try await core.guest() } }
            let numbers = try await Self.numbers(core, days: 1)
            #expect(numbers.series[.newMember] == ["guest": [1]] && numbers.series[.returningLogin] == nil)
            #expect(numbers.series[.refusedLogin] == [String(ErrorCode.bannedMember.rawValue): [3]])
            #expect(numbers.total(.banBegun) == 1)
        }
    }

    @Test("Conflicts are counted with how they ended, and guests that get a provider")
    func conflicts() async throws {
        try await TestCore.open { core in
            _ = try await core.player("ann", on: "one")
            let forcing = try await core.guest("two")
            try await forcing.run(
                ForceMapping(ticket: try #require(try await forcing.ticket(for: .naver, of: "ann"))))
            _ = try await core.player("bea", on: "three")
            let changing = try await core.guest("four")
            try await changing.run(
                ChangeLogin(ticket: try #require(try await changing.ticket(for: .naver, of: "bea"))))
            _ = try await core.guest("five").addMapping(.naver, of: "cat")
            let numbers = try await Self.numbers(core, days: 1)
            for (metric, count) in [
                (.mappingConflict, 2), (.mappingForced, 1), (.loginChanged, 1), (.guestLinked, 2),
            ] as [(Metric, Int64)] {
                #expect(numbers.series[metric] == ["naver": [count]], "\(metric)")
            }
        }
    }

    @Test("What could not be written is written later, and once")
    func failure() async throws {
        try await TestCore.open { core in
            _ = try await core.guest()
            try await core.database.transact { tx in try tx.execute("ALTER TABLE counts RENAME TO away") }
            await #expect(throws: StorageError.self) { try await core.services.writeCounts() }
            try await core.database.transact { tx in try tx.execute("ALTER TABLE away RENAME TO counts") }
            for _ in 0..<2 { try await core.services.writeCounts() }
            #expect(try await Self.numbers(core, days: 1).total(.newMember) == 1)
        }
    }

    @Test("A crash loses what was not yet written, and nothing is counted again after it")
    func crash() async throws {
        try await TestCore.open { core in
            _ = try await core.guest("one")
            try await core.services.writeCounts()
            _ = try await core.guest("two")
            let restarted = try core.restarted()
            _ = try await restarted.guest("two")
            #expect(try await Self.numbers(restarted, days: 1).total(.newMember) == 1)
            #expect(try await Self.numbers(restarted, days: 1).total(.returningLogin) == 1)
        }
    }
}
