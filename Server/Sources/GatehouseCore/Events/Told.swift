/// What is told after the commit of a first run.
struct Told: Sendable {
    var events: [RecordedEvent] = []
    var activities: [FirstActivity] = []
}
