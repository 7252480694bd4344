"""Filler sentences that state no facts. They lengthen a page and give it the style of its publisher."""

from __future__ import annotations

RAIL = (
    "Tickets carry the name of the traveller, so have the same document at hand that was used for the booking.",
    "Gates close a few minutes before departure; leave time for the security check at the entrance.",
    "Seats are given out in the order of booking, and window seats go first.",
    "Prices are for one adult in second class and include all fees.",
    "Luggage goes on the racks above the seats or at the end of each carriage.",
    "Hot water is free on board; meals can be ordered from the trolley.",
    "Changes are free of charge until the evening before, as long as seats are left.",
    "Children below school age travel on the lap of an adult without a ticket of their own.",
    "The platform is shown on the boards in the hall shortly before boarding.",
    "Holiday weekends sell out early, so do not leave the booking to the last day.",
)

AIR = (
    "Fares are for one adult in economy class and include taxes.",
    "Check-in at the counter ends well before departure; online check-in opens the day before.",
    "One piece of cabin luggage is included, and liquids follow the usual rules.",
    "Allow extra time for the queue at security on Fridays and Sundays.",
    "Boarding passes on a phone are accepted at every gate.",
    "Seats at the emergency exits can be chosen at the counter only.",
    "Schedules are given in local time.",
    "Passengers who need a wheelchair should tell the airline when they book.",
    "Refunds depend on the conditions of the fare that was bought.",
    "The gate may change until shortly before boarding, so watch the screens.",
)

OFFICIAL_SIGHT = (
    "Large bags can be left at the entrance.",
    "Photographs for private use are welcome; tripods and flashes are not.",
    "Groups are asked to announce their visit in advance.",
    "Dogs are not admitted, with the exception of assistance dogs.",
    "In bad weather some areas may be closed for the safety of visitors.",
    "Audio guides are available in several languages at the information desk.",
    "Accessible toilets and a room for parents with babies are found near the main entrance.",
    "Smoking is allowed only where signs permit it.",
    "Visitors are asked to follow the directions of the staff.",
)

TRAVEL = (
    "I had sore feet by the evening and not a single regret.",
    "My advice for {city} is the same as always: start early and leave room for accidents of the happy kind.",
    "We got lost twice on the way, which is how we found the best bakery of the trip.",
    "If you only have a weekend in {city}, do less than you planned and enjoy it more.",
    "My travelling companion, who claims to be hard to please, asked to stay longer.",
    "Nobody was paid for this post, and nobody fed me for it either.",
    "It was our third trip to {city}, and it will not be the last.",
    "We travelled with hand luggage only and never missed the rest.",
    "The rain stopped the moment we had bought an umbrella, as it always does.",
)

BLOG = (
    *TRAVEL,
    "The light late in the afternoon is made for photographs.",
    "Bring water, a charged phone and patience for the queue at weekends.",
    "A school class was there at the same time, and their questions were better than any guide book.",
    "It drizzled a little, and the place was all the quieter for it.",
    "I sat on a bench for a while and simply watched people go by.",
    "Someone played a flute near the exit, and we all walked a little slower.",
    "On a weekday morning you will share it with pensioners and pigeons.",
    "We compared it with the pictures my parents took decades ago, and a surprising amount was the same.",
)

RANT = (*TRAVEL[:4], *TRAVEL[5:])
"""Sentences of `TRAVEL` without the one that praises the city."""

NOTICE = (
    "The counters of the tourist office answer questions in several languages.",
    "Older guide books and some pages on the web have not been corrected yet.",
    "Hotels have been asked to pass this notice on to their guests.",
    "A list of the sights that can be visited is handed out free of charge.",
    "The office thanks everybody who reported a mistake.",
)

FORUM = (
    "Just my two pennies after a few days in {city}.",
    "Happy to answer questions if anyone is planning the same trip.",
    "Your mileage may vary, we went with two kids and a grandmother.",
    "Cheers to the person who warned us about the weekend crowds.",
    "Posting this because I could not find a recent report when I searched.",
    "People were friendly even though our questions were silly.",
    "Phone reception was fine everywhere we went.",
    "Thanks to everybody who answered my questions before the trip.",
    "I would go again, maybe in another season.",
    "Wear layers, it was windier in {city} than the forecast said.",
    "For us it was one of the nicer hours of the whole week.",
    "We met another family from our town there, of all places.",
    "No complaints from the rest of the family, and that is rare.",
    "We had no plan for the day and it still worked out.",
    "There was a queue, it moved, we survived.",
    "I took far too many pictures, as ever.",
)

PORTAL = (
    "Ratings on this page come from travellers who booked with us.",
    "Confirmation is sent by mail within a few minutes.",
    "Prices are shown with taxes and fees.",
    "Save this page to your list to find it again on the day.",
    "Our service team answers questions at any hour.",
    "Details on this page were checked with the operator when it was last updated.",
    "Travellers who looked at this page also looked at other places in {city}.",
    "Pay now or on the spot, as the offer says.",
    "Photographs were supplied by travellers and may show other seasons.",
    "Mobile vouchers are accepted; there is no need to print anything.",
)

HOTEL = (
    "Check-in is possible in the afternoon, check-out is before noon.",
    "The front desk is staffed at night and keeps luggage before and after the stay.",
    "Wireless internet is free in the rooms and in the lobby.",
    "All rooms have air conditioning, a kettle and a safe.",
    "Please show an identity document with a photograph on arrival.",
    "A deposit may be held on a card for the length of the stay.",
    "Non-smoking rooms are the rule; tell the desk if you need a cot.",
    "There is a small gym, and a laundry service on working days.",
    "The lifts are roomy enough for wheelchairs and for large families with larger suitcases.",
    "Quiet hours are kept at night, also in the corridors.",
    "The rate is for the room and the night, not for each guest.",
)

DINING = (
    "Tables by the window go quickly, so call ahead on Fridays.",
    "The menu has pictures, and the staff are patient with pointing fingers.",
    "Portions are made for sharing.",
    "Vegetarians should ask, since not every dish is marked.",
    "Cards and mobile payment are both accepted.",
    "The kitchen is open to view, which is half of the fun.",
    "There are high chairs for small guests.",
    "Service was quick even with a full house.",
    "Water is refilled without asking.",
    "Locals outnumber visitors here, always a good sign.",
    "Ask for the seasonal vegetables that are not on the card.",
    "The room is lively rather than quiet.",
)

TOWN = (
    "Signs are in more than one language.",
    "The area is busiest at the end of the working day.",
    "Taxis and shared bicycles are easy to find nearby.",
    "There are benches, and some shade in summer.",
    "Early in the morning the place belongs to people who walk their dogs.",
    "In {city} it is a common point to meet before an evening out.",
    "Small shops sell snacks, umbrellas and charging cables.",
    "As everywhere in crowds, keep an eye on your bag.",
    "Step-free ways are marked on the maps at the entrances.",
    "Street musicians come at weekends when the weather allows.",
    "It is a good landmark when you explain to a driver where you want to go.",
    "The pavement was renewed not long ago.",
)

GUIDE = (
    "Leave the last afternoon empty for whatever you missed.",
    "Buses and the metro cover everything in this plan; taxis help when it rains.",
    "Swap the days freely, but check the closing days first.",
    "Book the big sights ahead at weekends and in the holidays.",
    "Families with small children may want to drop one stop each day.",
    "Comfortable shoes matter more than anything else you pack for {city}.",
    "Carry some water, and refill where you can.",
    "The order of the stops is meant to spare your legs, not to win a race.",
    "October brings mild days in {city}; evenings ask for a jacket.",
    "Save the map for offline use before you set out.",
)
